import { spawn } from 'node:child_process';
import { existsSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { isRunning } from '../../../scripts/processes/isRunning';
import { ProcessSet } from '../../../scripts/processes/ProcessSet';
import { createFolder } from './support/createFolder';
import { waitUntil } from './support/waitUntil';

const OPTIONS = { cwd: process.cwd(), env: process.env };
const FAMILY = join(__dirname, 'support', 'familyOfThree.mjs');

let processes: ProcessSet;

beforeEach(() => {
	processes = new ProcessSet(100);
});

afterEach(async () => {
	await processes.endAll();
});

function node(script: string): [string, string[]] {
	return [process.execPath, ['-e', script]];
}

/** Starts a part whose log is the numbers of its family, and waits for them. */
async function startFamily(logFile: string): Promise<number[]> {
	processes.startPart(process.execPath, [FAMILY], { ...OPTIONS, name: 'The family', logFile });
	return await readFamily(logFile);
}

async function readFamily(logFile: string): Promise<number[]> {
	const read = () => (existsSync(logFile) ? readFileSync(logFile, 'utf8') : '');
	await waitUntil(() => read().endsWith('\n'));
	return read().trim().split(' ').map(Number);
}

describe('a command that is run to its end', () => {
	it('gives its output', async () => {
		await expect(processes.run(...node('console.log("made")'), OPTIONS)).resolves.toBe('made\n');
	});

	it('is reported with its exit code and last lines when it fails', async () => {
		const script =
			'for (let i = 1; i <= 100; i++) console.log("line " + i); console.error("no room"); process.exitCode = 3';
		const failure = processes.run(...node(script), OPTIONS);
		await expect(failure).rejects.toThrow(/failed \(exit code 3\)/);
		await expect(failure).rejects.toThrow(/no room/);
		await expect(failure).rejects.not.toThrow(/line 50\n/);
	});

	it('is ended and reported when it takes too long', async () => {
		const [command, args] = node('setInterval(() => undefined, 1000)');
		await expect(processes.run(command, args, { ...OPTIONS, timeoutMs: 50 })).rejects.toThrow(
			'failed (ended after 0.1 s, which is too long)',
		);
	});

	it('is reported when there is no such command', async () => {
		await expect(processes.run('no-such-command', [], OPTIONS)).rejects.toThrow(
			/"no-such-command" could not be started/,
		);
	});
});

describe('a part that is to run on', () => {
	it('is named with its last lines and the path of its log when it ends by itself', async () => {
		const logFile = join(createFolder(), 'part.log');
		const [command, args] = node('console.log("out of ink"); process.exit(7)');
		processes.startPart(command, args, { ...OPTIONS, name: 'The printer', logFile });

		await expect(processes.partDied).rejects.toThrow(
			`The printer has ended by itself (exit code 7), so everything is ended.\nIts last lines were:\nout of ink\nAll of its output is in ${relative(process.cwd(), logFile)}.`,
		);
	});

	it('is ended with everything it started, though none of it wants to', async () => {
		const family = await startFamily(join(createFolder(), 'part.log'));
		expect(family).toHaveLength(3);

		await processes.endAll();

		await waitUntil(() => !family.some(isRunning));
	});

	it('is ended when its starter is killed outright', async () => {
		const logFile = join(createFolder(), 'part.log');
		const script = join(__dirname, 'support', 'startPartAndWait.ts');
		const starter = spawn(process.execPath, ['--import', 'tsx', script, logFile]);
		const family = await readFamily(logFile);

		starter.kill('SIGKILL');

		await waitUntil(() => !family.some(isRunning));
	});
});

describe('when all is ended', () => {
	it('starts nothing any more', async () => {
		await processes.endAll();
		await expect(processes.run(...node(''), OPTIONS)).rejects.toThrow('Stopped.');
	});
});
