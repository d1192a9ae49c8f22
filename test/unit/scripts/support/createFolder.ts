import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

/** A folder for one test, removed after it. */
export function createFolder(): string {
	const folder = mkdtempSync(join(tmpdir(), 'scripts-test-'));
	folders.push(folder);
	return folder;
}

const folders: string[] = [];

afterEach(() => {
	folders.splice(0).forEach((folder) => {
		rmSync(folder, { recursive: true, force: true });
	});
});
