import { readFileSync } from 'node:fs';
import path from 'node:path';
import { loadOutputSchema } from 'n8n-core';
import type { OutputSchema } from '../operations/OperationDoc';
import { PACKAGE_ROOT } from '../engine/loadPackage';
import { hasFeature } from '../engine/testWith';

/** Where n8n looks for `__schema__`: beside the compiled node. */
export const NODE_FOLDER = path.join(PACKAGE_ROOT, 'dist/nodes/VideoGeneration');

/**
 * The output schema of an operation as n8n loads it.
 *
 * @param operation e.g. `queue.add`
 */
export function loadSchema(operation: string): OutputSchema {
	const [resource = '', name = ''] = operation.split('.');
	// Where the server of an older n8n looks.
	const file = path.join(NODE_FOLDER, '__schema__', 'v1.0.0', resource, `${name}.json`);
	if (!hasFeature('outputSchemas')) return JSON.parse(readFileSync(file, 'utf8')) as OutputSchema;
	const schema = loadOutputSchema({
		nodeDir: NODE_FOLDER,
		version: 1,
		resource,
		operation: name,
	});
	if (!schema) throw new Error(`n8n finds no output schema of ${operation}`);
	return schema as unknown as OutputSchema;
}
