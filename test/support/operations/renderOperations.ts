import type { INodeProperties } from 'n8n-workflow';
import type { OperationDoc, OutputSchema } from './OperationDoc';
import { OPERATION_NOTES } from './OPERATION_NOTES';
import type { Terms } from './renderText';
import { renderExample } from './renderExample';
import { renderFields } from './renderFields';
import { renderParameters } from './renderParameters';

export interface OperationsSource {
	operations: OperationDoc[];
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
		'What each operation costs, what to enter, and what comes out. All examples come from runs against the [local video service](../sandbox/README.md).',
		renderCommon(source),
		...operations.map((operation, index) =>
			renderOperation(operation, source, terms, operations.slice(0, index)),
		),
	].join('\n\n');
}

function listNames(parameters: INodeProperties[]): string[] {
	return parameters.flatMap(({ displayName, type, options }) => [
		displayName,
		...(type === 'collection' ? listNames(options as INodeProperties[]) : []),
	]);
}

/** The cost has a place of its own. */
function cutCost(description: string): string {
	return description.replace(/, which (is|costs|cannot) .*$/, '');
}

function renderCommon({ maxTries }: OperationsSource): string {
	return [
		'## Every operation',
		`Each operation runs once for each input item, and links each output item to its input item. **Options > ${maxTries.displayName}** (1 to 10, default ${JSON.stringify(maxTries.default)}): ${maxTries.description ?? ''}`,
		'If an item fails, see [Errors](errors.md).',
	].join('\n\n');
}

function renderOperation(
	{ name, title, description, parameters, schema, examples }: OperationDoc,
	{ video }: OperationsSource,
	terms: Terms,
	earlier: OperationDoc[],
): string {
	const { cost = '', notes = [] } = OPERATION_NOTES[name] ?? {};
	const isList = name === 'video.getAll';
	return [
		`## ${title}`,
		`${cutCost(description)}.`,
		`**Cost:** ${cost}.`,
		...notes,
		'### Parameters',
		renderParameters(parameters, terms, earlier),
		'### Output',
		isList ? renderFields(schema, terms) : renderFields(schema, terms, video),
		`### ${examples.length === 1 ? 'Example' : 'Examples'}`,
		...examples.map((example) => renderExample(example, parameters)),
	].join('\n\n');
}
