import { OPERATION_NOTES } from './collectOperations';
import type { OperationDoc, OutputSchema, RecordedOutput } from './OperationDoc';
import type {
	INodeParameters,
	INodeProperties,
	INodePropertyOptions,
	NodeParameterValueType,
} from 'n8n-workflow';

/** Displayed names that texts mention. */
interface Terms {
	/** Names of fields, e.g. `Custom Prompt`. */
	fields: readonly string[];
	/** Names of operations, e.g. `Video: Get Many`, which texts call `Video > Get Many`. */
	operations: readonly string[];
}

/** Names of n8n's own controls that texts mention, too. */
const OF_N8N = ['Fetch Test Event'];

/**
 * Renders a text of the node as Markdown: links, names of fields in bold, names of the output's
 * fields as code, and operations as links to their descriptions.
 */
function renderText(text: string, { fields, operations }: Terms): string {
	const linked = text.replace(/<a href="([^"]+)">([^<]*)<\/a>/g, '[$2]($1)');
	const bold = linked.replace(/(?<!\w)['"]([^'"]+)['"](?!\w)/g, (quoted: string, name: string) =>
		fields.includes(name) || OF_N8N.includes(name)
			? `**${name}**`
			: /^[a-z]\w*$/.test(name)
				? `\`${name}\``
				: quoted,
	);
	const coded = bold.replace(
		/(?<![\w`/.])(queueId|videoUrl|downloadError|projectId)(?![\w`])/g,
		'`$1`',
	);
	// The longest names are replaced first, in case one name begins with another.
	const titles = [...operations].sort((a, b) => b.length - a.length);
	return titles.reduce(
		(result, title) => result.replaceAll(title.replace(': ', ' > '), linkTo({ title })),
		coded,
	);
}

/** Returns GitHub's anchor for a heading. */
export function toAnchor(title: string): string {
	return title
		.toLowerCase()
		.replace(/[^\w\s-]/g, '')
		.replaceAll(' ', '-');
}

/** Returns a link to the description of an operation. */
function linkTo({ title }: { title: string }): string {
	return `[${title}](#${toAnchor(title)})`;
}

function closeSentence(sentence: string): string {
	return /[.!?]$/.test(sentence) ? sentence : `${sentence}.`;
}

/** The way in which entries are listed: parameters, or fields of the output. */
interface ListedAs<T> {
	/** Returns the operation that is described before and explains the entry. */
	findEarlier(entry: T): OperationDoc | undefined;
	getName(entry: T): string;
	render(entry: T): string[];
}

/**
 * Renders the lines of a Markdown list. Entries that the same earlier operation explains share one
 * line.
 */
function renderList<T>(
	entries: readonly T[],
	{ findEarlier, getName, render }: ListedAs<T>,
): string[] {
	return entries.flatMap((entry) => {
		const where = findEarlier(entry);
		if (!where) return render(entry);
		const group = entries.filter((each) => findEarlier(each) === where);
		return group[0] === entry ? [`- ${group.map(getName).join(', ')}: see ${linkTo(where)}.`] : [];
	});
}

/** Beginning of the description of a field that Queue: Add returns like Queue: Wait. */
const WITH_WAIT = "With 'Wait for Completion': ";

interface Field {
	/** The path in the output, e.g. `usage.remainingCredits`. */
	path: string;
	description: string;
}

/**
 * Renders the fields of an operation's output as a list.
 *
 * @param earlier operations that are described before; their explanations are not repeated
 */
function renderFields(schema: OutputSchema, terms: Terms, earlier: OperationDoc[]): string {
	const fields = listFields(schema);
	const own = fields.filter(({ description }) => !description.startsWith(WITH_WAIT));
	const list = renderList(own, {
		findEarlier: (field) =>
			earlier.find(({ schema: other }) =>
				listFields(other).some((each) => isSameField(field, each)),
			),
		getName: ({ path }) => `\`${path}\``,
		render: ({ path, description }) => [
			`- \`${path}\`: ${closeSentence(renderText(cutCondition(description), terms))}`,
		],
	}).join('\n');
	if (own.length === fields.length) return list;
	const withWait = `With **Wait for Completion**, the same as ${linkTo({ title: 'Queue: Wait' })}.`;
	return `${withWait} Without it:\n\n${list}`;
}

/** Removes the condition, because the list of Queue: Add shows the output without a wait. */
function cutCondition(description: string): string {
	return description.replace(/^Without 'Wait for Completion': (.)/, (_, first: string) =>
		first.toUpperCase(),
	);
}

/** Lists the fields. An object is replaced by its fields, unless it is a video. */
function listFields(schema: OutputSchema, prefix = ''): Field[] {
	return Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
		field.properties && !field.properties.url
			? listFields(field, `${prefix}${name}.`)
			: [{ path: `${prefix}${name}`, description: field.description ?? '' }],
	);
}

function isSameField(one: Field, other: Field): boolean {
	return one.path === other.path && one.description === other.description;
}

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
function renderParameters(
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
				: earlier.find(({ parameters }) =>
						parameters.some((other) => isSameParameter(field, other)),
					),
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
function isSameParameter(one: INodeProperties, other: INodeProperties): boolean {
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

/** Renders an example: the settings, and the first output item. */
function renderExample(
	{ example, parameters, output }: RecordedOutput,
	fields: INodeProperties[],
): string {
	const settings = listSettings(parameters, fields).join(' and ');
	return [
		`**Example:** ${example}${settings === '' ? '' : `, with ${settings}`}`,
		`\`\`\`json\n${JSON.stringify(output[0]?.json, null, 2)}\n\`\`\``,
	].join('\n\n');
}

function listSettings(parameters: INodeParameters, fields: INodeProperties[]): string[] {
	return Object.entries(parameters).flatMap(([name, value]) => {
		const field = fields.find((each) => each.name === name);
		return field?.type === 'collection'
			? listSettings(value as INodeParameters, field.options as INodeProperties[])
			: [`**${field?.displayName ?? name}** ${renderValue(value)}`];
	});
}

function renderValue(value: NodeParameterValueType): string {
	if (typeof value === 'boolean') return value ? 'on' : 'off';
	if (typeof value === 'string') return `\`${value.replace(/^=/, '')}\``;
	if (typeof value === 'object' && value !== null && 'mode' in value) {
		return renderValue(value.value);
	}
	return `\`${JSON.stringify(value)}\``;
}

export interface OperationsSource {
	operations: OperationDoc[];
	/** The parameter "Max Tries" of every operation. */
	maxTries: INodeProperties;
}

/** Renders `docs/operations.md`, which is formatted afterwards. */
export function renderOperations(source: OperationsSource): string {
	const { operations } = source;
	const terms: Terms = {
		fields: operations.flatMap(({ parameters }) => listNames(parameters)),
		operations: operations.map(({ title }) => title),
	};
	return [
		'<!-- Written by "npm run docs". Do not edit. -->',
		'# Operations',
		renderCommon(source),
		...operations.map((operation, index) =>
			renderOperation(operation, terms, operations.slice(0, index)),
		),
	].join('\n\n');
}

function listNames(parameters: INodeProperties[]): string[] {
	return parameters.flatMap(({ displayName, type, options }) => [
		displayName,
		...(type === 'collection' ? listNames(options as INodeProperties[]) : []),
	]);
}

/** Removes the cost, which is rendered separately. */
function cutCost(description: string): string {
	return description.replace(/, which (is|costs|cannot) .*$/, '');
}

function renderCommon({ maxTries }: OperationsSource): string {
	return [
		'## Every operation',
		'Each operation runs once for each input item. If an item fails, see [Errors](errors.md).',
		`**Options > ${maxTries.displayName}** (1 to 10, default ${JSON.stringify(maxTries.default)}): ${maxTries.description ?? ''}`,
		'Switches are off by default. A field listed under a switch appears when you turn the switch on.',
	].join('\n\n');
}

function renderOperation(
	{ name, title, description, parameters, schema, examples }: OperationDoc,
	terms: Terms,
	earlier: OperationDoc[],
): string {
	const { cost = '', notes = [], output } = OPERATION_NOTES[name] ?? {};
	const list = renderParameters(parameters, terms, earlier);
	return [
		`## ${title}`,
		`${cutCost(description)}. **Cost:** ${cost}.`,
		...notes,
		...(list === '' ? [] : ['### Parameters', list]),
		'### Output',
		output ?? renderFields(schema, terms, earlier),
		...examples.map((example) => renderExample(example, parameters)),
	].join('\n\n');
}
