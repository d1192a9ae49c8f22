import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';

test('npm installs the packages of the lock file', () => {
	const folder = fs.mkdtempSync(join(tmpdir(), 'install-'));
	try {
		for (const file of ['package.json', 'package-lock.json', '.npmrc']) {
			fs.copyFileSync(file, join(folder, file));
		}
		const { status, stderr } = spawnSync('npm', ['ci', '--dry-run', '--offline'], {
			cwd: folder,
			encoding: 'utf8',
			shell: process.platform === 'win32',
		});
		expect({ status, stderr: stderr.match(/ERESOLVE|npm error.*/g) }).toEqual({
			status: 0,
			stderr: null,
		});
	} finally {
		fs.rmSync(folder, { recursive: true, force: true });
	}
});
