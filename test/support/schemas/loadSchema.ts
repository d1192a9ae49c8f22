import { readFileSync } from 'node:fs';
import path from 'node:path';
import { loadOutputSchema } from 'n8n-core';
import { PACKAGE_ROOT } from '../engine/loadPackage';
import { hasFeature } from '../engine/testWith';

/** A JSON Schema, limited to the keywords that the output schemas use. */
export interface OutputSchema {
	type: string | string[];
	description?: string;
	format?: string;
	nullable?: boolean;
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
}

/** The folder of the compiled node, in which n8n looks for `__schema__`. */
const NODE_FOLDER = path.join(PACKAGE_ROOT, 'dist/nodes/VideoGeneration');

/** Loads the output schema of an operation, such as `queue.add`, as n8n does. */
export function loadSchema(operation: string): OutputSchema {
	const [resource = '', name = ''] = operation.split('.');
	// The server of an older n8n reads this file.
	const file = path.join(NODE_FOLDER, '__schema__', 'v1.0.0', resource, `${name}.json`);
	if (!hasFeature('outputSchemas')) return JSON.parse(readFileSync(file, 'utf8')) as OutputSchema;
	const place = { nodeDir: NODE_FOLDER, version: 1, resource, operation: name };
	const schema = loadOutputSchema(place);
	if (!schema) throw new Error(`n8n finds no output schema of ${operation}`);
	return schema as unknown as OutputSchema;
}
