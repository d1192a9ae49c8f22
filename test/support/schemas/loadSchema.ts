import path from 'node:path';
import { loadOutputSchema } from 'n8n-core';
import type { OutputSchema } from '../operations/OperationDoc';
import { PACKAGE_ROOT } from '../engine/loadPackage';

/** Where n8n looks for `__schema__`: beside the compiled node. */
export const NODE_FOLDER = path.join(PACKAGE_ROOT, 'dist/nodes/VideoGeneration');

/**
 * The output schema of an operation as n8n loads it.
 *
 * @param operation e.g. `queue.add`
 */
export function loadSchema(operation: string): OutputSchema {
	const [resource, name] = operation.split('.');
	const schema = loadOutputSchema({
		nodeDir: NODE_FOLDER,
		version: 1,
		resource,
		operation: name,
	});
	if (!schema) throw new Error(`n8n finds no output schema of ${operation}`);
	return schema as unknown as OutputSchema;
}
