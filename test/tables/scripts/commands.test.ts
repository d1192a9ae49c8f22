import { spawn, spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve } from 'node:path';
import { waitFor } from '../../../scripts/waitFor';

// Each test starts several processes, which take their time on a busy machine.
jest.setTimeout(120_000);

const PROBE = [process.execPath, 'scripts/run.mjs', '../test/tables/scripts/support/probe'];

const folder = fs.mkdtempSync(join(tmpdir(), 'scripts-'));
afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

/** Returns the ids of the server's processes, once all of them are in its log. */
async function findFamily(logFile: string): Promise<number[]> {
	return await waitFor('the family', () => {
		const text = fs.existsSync(logFile) ? fs.readFileSync(logFile, 'utf8') : '';
		return text.endsWith('\n') && text.trim().split(' ').map(Number);
	});
}

function isRunning(pid: number): boolean {
	try {
		return process.kill(pid, 0);
	} catch {
		return false;
	}
}

/** Starts a command below another process, as npm does. */
const PARENT = `
	const [file, ...args] = process.argv.slice(1);
	require('node:child_process').spawn(file, args, { stdio: 'inherit' });
	setInterval(() => undefined, 1000);`;

test.concurrent.each([
	['is interrupted', [] as string[], 'SIGINT'],
	['has lost npm, which was killed', [process.execPath, '-e', PARENT], 'SIGKILL'],
] as const)(
	'A command with servers that %s leaves nothing running',
	async (_what, parent, signal) => {
		const logFile = join(folder, `${signal}.log`);
		const [file = '', ...args] = [...parent, ...PROBE, logFile];
		const child = spawn(file, args, { stdio: 'ignore' });
		const family = await findFamily(logFile);
		expect(family).toHaveLength(3);
		child.kill(signal);
		await waitFor('the end of the family', () => !family.some(isRunning));
	},
);

test('A command ends when its server does, and shows what the server printed last', () => {
	const code = 'console.log("a".repeat(99) + "\\n".repeat(30) + "no database"); process.exit(3)';
	const [file, ...args] = [...PROBE, join(folder, 'dead.log'), code];
	const { status, stderr } = spawnSync(file, args, { encoding: 'utf8' });
	expect(status).toBe(1);
	expect(stderr).toMatch(/The server stopped unexpectedly \(.* exit code 3[^]*\nno database\n/);
	expect(stderr).not.toContain('aaa');
});

describe('In a project with dependencies that npm has installed,', () => {
	const project = join(folder, 'project');
	const modules = join(project, 'node_modules');
	const record = join(modules, '.package-lock.json');
	const bin = join(folder, 'bin');

	beforeAll(() => {
		for (const file of ['scripts', 'package.json', 'package-lock.json']) {
			fs.cpSync(file, join(project, file), { recursive: true });
		}
		fs.mkdirSync(modules);
		for (const name of fs.readdirSync('node_modules').filter((each) => !each.startsWith('.'))) {
			fs.symlinkSync(resolve('node_modules', name), join(modules, name), 'junction');
		}
		// This npm only says how it was called.
		fs.mkdirSync(bin);
		fs.writeFileSync(join(bin, 'npm'), '#!/bin/sh\necho "npm $*" >&2\nexit 1\n', { mode: 0o755 });
	});

	/** Runs a command that fails at once, since there is no changelog. */
	const runCommand = () =>
		spawnSync(process.execPath, ['scripts/run.mjs', 'release'], {
			cwd: project,
			encoding: 'utf8',
			env: { ...process.env, PATH: [bin, process.env.PATH].join(delimiter) },
		}).stderr;
	const changeRecord = (change: (packages: Record<string, { version?: string }>) => void) => {
		const list = JSON.parse(fs.readFileSync('node_modules/.package-lock.json', 'utf8')) as {
			packages: Record<string, object>;
		};
		change(list.packages);
		fs.writeFileSync(record, JSON.stringify(list));
	};

	test('a command installs nothing if they are those of the lock file, even if there are more', () => {
		changeRecord((packages) => (packages['node_modules/of-their-own'] = { version: '1.0.0' }));
		expect(runCommand()).toContain('CHANGELOG.md');
		expect(runCommand()).not.toContain('npm ci');
	});

	test.each([
		['is missing', undefined],
		['has another version', { version: '0.0.1' }],
	])('a command first installs all of them anew if one %s', (_what, entry) => {
		changeRecord((packages) => (packages['node_modules/tsx'] = entry as object));
		expect(runCommand()).toContain('npm ci');
		expect(runCommand()).not.toContain('CHANGELOG.md');
	});

	test('a command installs them if an installation was interrupted, and deletes none that are linked', () => {
		fs.rmSync(record);
		expect(runCommand()).toContain('npm ci');
		const elsewhere = join(folder, 'elsewhere');
		fs.renameSync(modules, elsewhere);
		fs.symlinkSync(elsewhere, modules, 'junction');
		expect(runCommand()).toContain('CHANGELOG.md');
	});
});
