import type { INodeProperties } from 'n8n-workflow';
import type { OperationDoc, OutputSchema, RecordedError } from './OperationDoc';
import { OPERATION_NOTES } from './OPERATION_NOTES';
import { renderErrors, renderTable, type Terms, toAnchor } from './renderText';
import { renderExample } from './renderExample';
import { renderFields } from './renderFields';
import { renderParameters } from './renderParameters';

export interface OperationsSource {
	operations: OperationDoc[];
	/** What every operation can meet. */
	commonErrors: RecordedError[];
	/** "Max Tries", which every operation has. */
	maxTries: INodeProperties;
	/** A video of the list. */
	video: OutputSchema;
}

/** `docs/operations.md`, but for its format. */
export function renderOperations(source: OperationsSource): string {
	const { operations } = source;
	const terms: Terms = {
		fields: operations.flatMap(({ parameters }) => listNames(parameters)),
		operations: operations.map(({ title }) => title),
	};
	return [
		'<!-- Written by "npm run docs" from the nodes, their output schemas and runs of them. Do not edit. -->',
		'# Operations',
		'What each operation does and costs, what to enter, what comes out, and the errors worth knowing. All examples and errors come from runs against the [local video service](../sandbox/README.md).',
		renderOverview(operations),
		renderCommon(source, terms),
		...operations.map((operation) => renderOperation(operation, source, terms)),
	].join('\n\n');
}

function listNames(parameters: INodeProperties[]): string[] {
	return parameters.flatMap(({ displayName, type, options }) => [
		displayName,
		...(type === 'collection' ? listNames(options as INodeProperties[]) : []),
	]);
}

function renderOverview(operations: OperationDoc[]): string {
	return renderTable(
		['Operation', 'What it does', 'Cost'],
		operations.map(({ name, title, description }) => [
			`[${title}](#${toAnchor(title)})`,
			cutCost(description),
			capitalize(OPERATION_NOTES[name]?.cost ?? ''),
		]),
	);
}

function capitalize(text: string): string {
	return text.charAt(0).toUpperCase() + text.slice(1);
}

/** The cost has a place of its own. */
function cutCost(description: string): string {
	return description.replace(/, which (costs|cannot) .*$/, '');
}

function renderCommon({ commonErrors, maxTries }: OperationsSource, terms: Terms): string {
	return [
		'## Every operation',
		`Each operation of the node runs once for each input item, and links each output item to its input. Under **Options**, each has **${maxTries.displayName}** (1 to 10, default ${JSON.stringify(maxTries.default)}). ${maxTries.description ?? ''}`,
		"A failed item stops the workflow, or comes out as data where the node's **On Error** setting says so: [what it looks like](errors.md#a-failed-item). These errors can come from any operation:",
		renderErrors(commonErrors, terms),
	].join('\n\n');
}

function renderOperation(
	{ name, title, description, parameters, schema, examples, errors }: OperationDoc,
	{ video }: OperationsSource,
	terms: Terms,
): string {
	const { cost = '', notes = [] } = OPERATION_NOTES[name] ?? {};
	const isList = name === 'video.getAll';
	return [
		`## ${title}`,
		`${cutCost(description)}.`,
		`**Cost:** ${cost}.`,
		...notes,
		'### Parameters',
		renderParameters(parameters, terms),
		'### Output',
		renderFields(schema, terms, isList ? { type: 'object' } : video),
		`### ${examples.length === 1 ? 'Example' : 'Examples'}`,
		...examples.map((example) => renderExample(example, parameters)),
		...(errors.length === 0 ? [] : ['### Errors worth knowing', renderErrors(errors, terms)]),
	].join('\n\n');
}
