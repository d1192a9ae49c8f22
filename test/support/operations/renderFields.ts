import type { OperationDoc, OutputSchema } from './OperationDoc';
import { renderList } from './renderList';
import { closeSentence, linkTo, renderText, type Terms } from './renderText';

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
export function renderFields(schema: OutputSchema, terms: Terms, earlier: OperationDoc[]): string {
	const fields = listFields(schema);
	const own = fields.filter(({ description }) => !description.startsWith(WITH_WAIT));
	const list = renderList(own, {
		findEarlier: (field) =>
			earlier.find(({ schema: other }) => listFields(other).some((each) => isSame(field, each))),
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

function isSame(one: Field, other: Field): boolean {
	return one.path === other.path && one.description === other.description;
}
