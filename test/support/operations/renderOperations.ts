import type {
	INodeParameterResourceLocator,
	INodeProperties,
	INodePropertyOptions,
} from 'n8n-workflow';
import type { RecordedOutput } from '../examples/recordOutputs';
import type { OutputSchema } from '../schemas/loadSchema';
import type { OperationDoc } from './collectOperations';

/** What is known where an operation is rendered. */
interface Context {
	/** Names of fields that texts mention, e.g. `Custom Prompt`. */
	names: readonly string[];
	/** Names of operations, e.g. `Video: Get Many`, which texts call `Video > Get Many`. */
	titles: readonly string[];
	/** The operations that are described before: their explanations are not repeated. */
	earlier: readonly OperationDoc[];
}

/** Renders `docs/operations.md`, which is formatted afterwards. */
export function renderOperations(operations: OperationDoc[], maxTries: INodeProperties): string {
	const names = operations.flatMap(({ parameters }) => listNames(parameters));
	// The longest titles are replaced first, in case one begins with another.
	const titles = operations.map(({ title }) => title).sort((a, b) => b.length - a.length);
	return [
		'<!-- Written by "npm run docs". Do not edit. -->',
		'# Operations',
		'## Every operation',
		'Each operation runs once for each input item. If an item fails, see [Errors](errors.md).',
		`**Options > ${maxTries.displayName}** (1 to 10, default ${JSON.stringify(maxTries.default)}): ${maxTries.description ?? ''}`,
		'Switches are off by default. A field listed under a switch appears when you turn the switch on.',
		...operations.map((operation, index) =>
			// "Fetch Test Event" is a button of n8n.
			renderOperation(operation, {
				...{ names: [...names, 'Fetch Test Event'], titles },
				earlier: operations.slice(0, index),
			}),
		),
	].join('\n\n');
}

function listNames(parameters: INodeProperties[]): string[] {
	return parameters.flatMap((parameter) => [
		parameter.displayName,
		...listNames(listOptions(parameter)),
	]);
}

/** Lists the fields of a collection; another parameter has none. */
function listOptions({ type, options }: INodeProperties): INodeProperties[] {
	return type === 'collection' ? (options as INodeProperties[]) : [];
}

function renderOperation(operation: OperationDoc, context: Context): string {
	const { title, description, parameters, schema, examples, cost, notes = [], output } = operation;
	const list = renderTrees(growTrees(parameters), context).join('\n');
	return [
		`## ${title}`,
		// The description of the node ends with the cost.
		`${description.replace(/, which (is|costs|cannot) .*$/, '')}. **Cost:** ${cost}.`,
		...notes,
		...(list === '' ? [] : ['### Parameters', list]),
		'### Output',
		output ?? renderFields(schema, context),
		...examples.map((example) => renderExample(example, parameters)),
	].join('\n\n');
}

/**
 * Renders a text of the node as Markdown: links, names of fields in bold, names of the output's
 * fields as code, and operations as links to their descriptions.
 */
function renderText(text: string, { names, titles }: Context): string {
	const marked = text
		.replace(/<a href="([^"]+)">([^<]*)<\/a>/g, '[$2]($1)')
		.replace(/(?<!\w)['"]([^'"]+)['"](?!\w)/g, (quoted: string, name: string) => {
			if (names.includes(name)) return `**${name}**`;
			return /^[a-z]\w*$/.test(name) ? `\`${name}\`` : quoted;
		})
		.replace(/(?<![\w`/.])(queueId|videoUrl|downloadError|projectId)(?![\w`])/g, '`$1`');
	const linked = titles.reduce(
		(result, title) => result.replaceAll(title.replace(': ', ' > '), linkTo(title)),
		marked,
	);
	return /[.!?]$/.test(linked) ? linked : `${linked}.`;
}

/** Returns GitHub's anchor for a heading. */
export function toAnchor(title: string): string {
	return title
		.toLowerCase()
		.replace(/[^\w\s-]/g, '')
		.replaceAll(' ', '-');
}

/** Returns a link to the description of an operation. */
function linkTo(title: string): string {
	return `[${title}](#${toAnchor(title)})`;
}

/**
 * Renders the lines of a Markdown list. Entries that the same earlier operation explains share one
 * line.
 */
function renderList<T>(
	entries: readonly T[],
	findEarlier: (entry: T) => OperationDoc | undefined,
	getName: (entry: T) => string,
	render: (entry: T) => string[],
): string[] {
	return entries.flatMap((entry) => {
		const where = findEarlier(entry);
		if (!where) return render(entry);
		const group = entries.filter((each) => findEarlier(each) === where);
		const line = `- ${group.map(getName).join(', ')}: see ${linkTo(where.title)}.`;
		return group[0] === entry ? [line] : [];
	});
}

/** Beginning of the description of a field that Queue: Add returns like Queue: Wait. */
const WITH_WAIT = "With 'Wait for Completion': ";
const WITHOUT_WAIT = /^Without 'Wait for Completion': (.)/;

/** Renders the fields of an operation's output as a list. */
function renderFields(schema: OutputSchema, context: Context): string {
	const fields = listFields(schema);
	const own = fields.filter(([, description]) => !description.startsWith(WITH_WAIT));
	const list = renderList(
		own,
		(field) =>
			context.earlier.find((other) =>
				listFields(other.schema).some((each) => each.join() === field.join()),
			),
		([path]) => `\`${path}\``,
		([path, description]) => {
			// The list of Queue: Add shows the output without a wait.
			const text = description.replace(WITHOUT_WAIT, (_, first: string) => first.toUpperCase());
			return [`- \`${path}\`: ${renderText(text, context)}`];
		},
	).join('\n');
	if (own.length === fields.length) return list;
	return `With **Wait for Completion**, the same as ${linkTo('Queue: Wait')}. Without it:\n\n${list}`;
}

/** Lists the fields. An object is replaced by its fields, unless it is a video. */
function listFields(schema: OutputSchema, prefix = ''): [path: string, description: string][] {
	return Object.entries(schema.properties ?? {}).flatMap(([name, field]) =>
		field.properties && !field.properties.url
			? listFields(field, `${prefix}${name}.`)
			: [[`${prefix}${name}`, field.description ?? '']],
	);
}

/** The first parameter belongs to every operation; the second is n8n's own. */
const EXPLAINED_ELSEWHERE = ['maxTries', 'pollTimes'];

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

function growTrees(fields: INodeProperties[], parent?: INodeProperties): FieldTree[] {
	return fields
		.filter(({ name }) => !EXPLAINED_ELSEWHERE.includes(name))
		.filter((field) => findSwitch(field, fields, true) === parent)
		.map((field) => ({
			field,
			below: field.type === 'collection' ? growTrees(listOptions(field)) : growTrees(fields, field),
			hiddenBy: findSwitch(field, fields, false),
		}))
		.filter(({ field, below }) => field.type !== 'collection' || below.length > 0);
}

/**
 * Finds the switch that shows a field when it is on, or off. If there are several, it is the one
 * nearest to the field in the panel.
 */
function findSwitch({ displayOptions }: INodeProperties, fields: INodeProperties[], isOn: boolean) {
	return fields.findLast(({ name }) => displayOptions?.show?.[name]?.[0] === isOn);
}

/** Renders parameters as a list in the order of the panel. */
function renderTrees(trees: FieldTree[], context: Context): string[] {
	return renderList(
		trees,
		({ field }) =>
			mustBeEntered(field)
				? undefined
				: context.earlier.find(({ parameters }) =>
						parameters.some((other) => describeField(other) === describeField(field)),
					),
		({ field }) => `**${field.displayName}**`,
		(tree) => [
			`- ${renderField(tree, context)}`,
			...renderTrees(tree.below, context).map((line) => `  ${line}`),
		],
	);
}

function mustBeEntered({ required, default: value }: INodeProperties): boolean {
	return required === true && (typeof value !== 'string' || value === '');
}

/** Describes a parameter wherever it is displayed: two operations can have the same one. */
function describeField(field: INodeProperties): string {
	return JSON.stringify({ ...field, displayOptions: {}, required: false });
}

function renderField({ field, hiddenBy }: FieldTree, context: Context): string {
	const { displayName, name, type, description = '', hint = '' } = field;
	if (type === 'collection') return `**${displayName}**:`;
	// The hint of this parameter says what it is, and its description adds details.
	const texts = name === 'binaryPropertyName' ? [hint, description] : [description, hint];
	const sentences = [...texts, renderValues(field)].filter(Boolean);
	const label = [
		`**${displayName}**`,
		...(mustBeEntered(field) ? ['(required)'] : []),
		...(hiddenBy ? [`(with **${hiddenBy.displayName}** off)`] : []),
	].join(' ');
	return `${label}: ${sentences.map((sentence) => renderText(sentence, context)).join(' ')}`;
}

/** Renders the choices or the default. */
function renderValues({ type, options, default: value }: INodeProperties): string {
	if (type !== 'options') {
		const isShown = (typeof value === 'number' || typeof value === 'string') && value !== '';
		return isShown ? `Default: \`${value}\`` : '';
	}
	const choices = options as INodePropertyOptions[];
	if (choices.length === 1) return `Always ${choices[0]?.name}`;
	return choices
		.map((choice) => `${choice.name}${choice.value === value ? ' (default)' : ''}`)
		.join(' or ');
}

/** Renders an example: the expressions in its fields, and the first output item. */
function renderExample(
	{ example, parameters = {}, output }: RecordedOutput,
	fields: INodeProperties[],
): string {
	const settings = Object.entries(parameters).map(([name, entered]) => {
		const { value = entered } = entered as Partial<INodeParameterResourceLocator>;
		const { displayName = name } = fields.find((field) => field.name === name) ?? {};
		return `**${displayName}** \`${(value as string).replace(/^=/, '')}\``;
	});
	return [
		`**Example:** ${example}, with ${settings.join(' and ')}`,
		`\`\`\`json\n${JSON.stringify(output[0]?.json, null, 2)}\n\`\`\``,
	].join('\n\n');
}
