import { mkdir, writeFile } from 'node:fs/promises';
import { join } from 'node:path';

/** What n8n Cloud forbids, with the comment that would silence the rule where comments count. */
const VIOLATION = `/* eslint-disable */
// eslint-disable-next-line @n8n/community-nodes/no-restricted-globals
setTimeout(() => undefined, 1000);
`;

/** A folder in which a scan that works finds something. */
export async function plantViolation(folder: string): Promise<string> {
	await mkdir(join(folder, 'nodes', 'Planted'), { recursive: true });
	await writeFile(join(folder, 'nodes', 'Planted', 'waitTooLong.ts'), VIOLATION);
	return folder;
}
