import { join } from 'node:path';

/** The script to run with Node, in a folder that `installN8n` gave. */
export function findN8nBinary(n8nFolder: string): string {
	return join(n8nFolder, 'node_modules', 'n8n', 'bin', 'n8n');
}
