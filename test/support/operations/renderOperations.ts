import type { INodeProperties } from 'n8n-workflow';
import type { OperationDoc } from './OperationDoc';
import { OPERATION_NOTES } from './OPERATION_NOTES';
import type { Terms } from './renderText';
import { renderExample } from './renderExample';
import { renderFields } from './renderFields';
import { renderParameters } from './renderParameters';

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
		'What each operation costs, what to enter, and what comes out. Each example is one output item of a run against the [local video service](../sandbox/README.md).',
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
		'Each operation runs once for each input item, and links its output to that item. If an item fails, see [Errors](errors.md).',
		`**Options > ${maxTries.displayName}** (1 to 10, default ${JSON.stringify(maxTries.default)}): ${maxTries.description ?? ''}`,
		'Choose a **Project** from the list, or enter its ID. Switches are off by default. A field listed under a switch appears when you turn the switch on.',
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
