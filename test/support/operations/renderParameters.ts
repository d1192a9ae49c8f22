import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { OperationDoc } from './OperationDoc';
import { renderTable, renderText, type Terms, toAnchor } from './renderText';

/** Every operation has the first; the second is n8n's own. */
const EXPLAINED_ELSEWHERE = ['maxTries', 'pollTimes'];

/**
 * The parameters as a table; those of a collection as "Options → File Name".
 *
 * @param earlier operations that are described before: what they explain is not explained again
 */
export function renderParameters(
	parameters: INodeProperties[],
	terms: Terms,
	earlier: OperationDoc[],
): string {
	const isOwn = ({ name, type, options }: INodeProperties): boolean =>
		type === 'collection'
			? (options as INodeProperties[]).some(isOwn)
			: !EXPLAINED_ELSEWHERE.includes(name);
	const explained = new Map<INodeProperties, OperationDoc>();
	for (const parameter of parameters.filter(isOwn)) {
		const where = earlier.find((each) => each.parameters.some((other) => isSame(parameter, other)));
		if (where) explained.set(parameter, where);
	}
	const rows = parameters
		.filter((parameter) => isOwn(parameter) && !explained.has(parameter))
		.flatMap((parameter) =>
			parameter.type === 'collection'
				? (parameter.options as INodeProperties[])
						.filter(isOwn)
						.map((option) => renderRow(option, terms, parameters, parameter))
				: [renderRow(parameter, terms, parameters)],
		);
	const table = renderTable(['Parameter', 'Required', 'Default', 'What to enter'], rows);
	const links = [...new Set(explained.values())].map((where) => {
		const names = [...explained].filter(([, each]) => each === where);
		return `${names.map(([{ displayName }]) => `**${displayName}**`).join(', ')}: see [${where.title}](#${toAnchor(where.title)}).`;
	});
	return [table, ...links].filter((part) => part !== '').join('\n\n') || 'None.';
}

/** Whether two operations have the same parameter, wherever it is shown. */
function isSame(one: INodeProperties, other: INodeProperties): boolean {
	return (
		JSON.stringify({ ...one, displayOptions: {} }) ===
		JSON.stringify({ ...other, displayOptions: {} })
	);
}

function renderRow(
	parameter: INodeProperties,
	terms: Terms,
	siblings: INodeProperties[],
	collection?: INodeProperties,
): string[] {
	const { displayName, required, description = '', hint } = parameter;
	const condition = describeCondition(parameter, [
		...((collection?.options ?? []) as INodeProperties[]),
		...siblings,
	]);
	const sentences = [description, hint, describeChoices(parameter), condition].filter(
		(sentence) => sentence !== undefined && sentence !== '',
	) as string[];
	return [
		collection ? `${collection.displayName} > **${displayName}**` : `**${displayName}**`,
		required ? 'yes' : '',
		renderDefault(parameter),
		sentences.map((sentence) => closeSentence(renderText(sentence, terms))).join(' '),
	];
}

function describeChoices({ type, options }: INodeProperties): string {
	if (type === 'resourceLocator') return 'Choose it from the list, or enter its ID';
	if (type !== 'options') return '';
	return `One of: ${(options as INodePropertyOptions[]).map(({ name }) => name).join(', ')}`;
}

/** When the parameter is shown, if that depends on another one of the operation. */
function describeCondition({ displayOptions }: INodeProperties, others: INodeProperties[]): string {
	const conditions = Object.entries(displayOptions?.show ?? {})
		.filter(([name]) => !['resource', 'operation'].includes(name))
		.map(([name, values]) => {
			const other = others.find((each) => each.name === name)?.displayName ?? name;
			return `'${other}' ${values?.[0] === false ? 'off' : 'on'}`;
		});
	return conditions.length === 0 ? '' : `With ${conditions.join(' and ')}`;
}

function renderDefault({ type, default: value, options }: INodeProperties): string {
	if (typeof value === 'boolean') return value ? 'on' : 'off';
	if (type === 'options') {
		return (options as INodePropertyOptions[]).find((option) => option.value === value)?.name ?? '';
	}
	return typeof value === 'number' || (typeof value === 'string' && value !== '')
		? `\`${value}\``
		: '';
}

function closeSentence(sentence: string): string {
	return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}
