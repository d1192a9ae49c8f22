import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { OperationDoc } from './OperationDoc';
import { renderList } from './renderList';
import { closeSentence, renderText, type Terms } from './renderText';

/** The first parameter belongs to every operation; the second is n8n's own. */
const EXPLAINED_ELSEWHERE = ['maxTries', 'pollTimes'];

/** The parameter whose hint says what it is, while its description adds details. */
const HINT_FIRST = 'binaryPropertyName';

interface FieldTree {
	field: INodeProperties;
	/**
	 * The fields that the panel shows below it: the options of a collection, or the fields that
	 * appear when a switch is on.
	 */
	below: FieldTree[];
	/** The switch that must be off to show the field. */
	hiddenBy: INodeProperties | undefined;
}

/**
 * Renders the parameters as a list in the order of the panel.
 *
 * @param earlier operations that are described before; their explanations are not repeated
 */
export function renderParameters(
	parameters: INodeProperties[],
	terms: Terms,
	earlier: OperationDoc[],
): string {
	return renderTrees(growTrees(parameters), terms, earlier).join('\n');
}

function growTrees(fields: INodeProperties[]): FieldTree[] {
	const growBelow = (parent: INodeProperties | undefined): FieldTree[] =>
		fields
			.filter(({ name }) => !EXPLAINED_ELSEWHERE.includes(name))
			.filter((field) => findSwitch(field, fields, true) === parent)
			.map((field) => ({
				field,
				below:
					field.type === 'collection'
						? growTrees(field.options as INodeProperties[])
						: growBelow(field),
				hiddenBy: findSwitch(field, fields, false),
			}))
			.filter(({ field, below }) => field.type !== 'collection' || below.length > 0);
	return growBelow(undefined);
}

/**
 * Finds the switch that shows a field when it is on, or off. If there are several, it is the one
 * nearest to the field in the panel.
 */
function findSwitch(
	{ displayOptions }: INodeProperties,
	fields: INodeProperties[],
	isOn: boolean,
): INodeProperties | undefined {
	return fields.findLast(({ name }) => displayOptions?.show?.[name]?.[0] === isOn);
}

function renderTrees(trees: FieldTree[], terms: Terms, earlier: OperationDoc[]): string[] {
	return renderList(trees, {
		findEarlier: ({ field }) =>
			mustBeEntered(field)
				? undefined
				: earlier.find(({ parameters }) => parameters.some((other) => isSame(field, other))),
		getName: ({ field }) => `**${field.displayName}**`,
		render: (tree) => [
			`- ${renderField(tree, terms)}`,
			...renderTrees(tree.below, terms, earlier).map((line) => `  ${line}`),
		],
	});
}

function mustBeEntered({ required, default: value }: INodeProperties): boolean {
	return required === true && (typeof value !== 'string' || value === '');
}

/** Returns whether two operations have the same parameter, wherever it is displayed. */
function isSame(one: INodeProperties, other: INodeProperties): boolean {
	const anywhere = { displayOptions: {}, required: false };
	return JSON.stringify({ ...one, ...anywhere }) === JSON.stringify({ ...other, ...anywhere });
}

function renderField({ field, hiddenBy }: FieldTree, terms: Terms): string {
	const { displayName, name, type, description = '', hint = '' } = field;
	if (type === 'collection') return `**${displayName}**:`;
	const sentences = [
		...(name === HINT_FIRST ? [hint, description] : [description, hint]),
		renderChoices(field),
		renderDefault(field),
	].filter((sentence) => sentence !== '');
	const label = [
		`**${displayName}**`,
		...(mustBeEntered(field) ? ['(required)'] : []),
		...(hiddenBy ? [`(with **${hiddenBy.displayName}** off)`] : []),
	].join(' ');
	return `${label}: ${sentences.map((sentence) => closeSentence(renderText(sentence, terms))).join(' ')}`;
}

function renderChoices({ type, options, default: value }: INodeProperties): string {
	if (type !== 'options') return '';
	const choices = options as INodePropertyOptions[];
	if (choices.length === 1) return `Always ${choices[0]?.name ?? ''}`;
	return choices
		.map((choice) => `${choice.name}${choice.value === value ? ' (default)' : ''}`)
		.join(' or ');
}

function renderDefault({ type, default: value }: INodeProperties): string {
	const isShown = type !== 'options' && (typeof value === 'number' || typeof value === 'string');
	return isShown && value !== '' ? `Default: \`${value}\`` : '';
}
