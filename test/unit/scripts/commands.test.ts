import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '../../../scripts/support/processGroups';
import { waitFor } from '../../../scripts/waitFor';
import { runProbe, runProbeBelowParent } from './support/runScript';

// Each test starts several processes, which take their time on a busy machine.
jest.setTimeout(120_000);

let folder: string;
let logFile: string;

beforeEach(() => {
	folder = mkdtempSync(join(tmpdir(), 'scripts-'));
	logFile = join(folder, 'server.log');
});

afterEach(() => {
	rmSync(folder, { recursive: true, force: true });
});

/** Returns the ids of the server's processes, once all of them are in its log. */
async function findFamily(): Promise<number[]> {
	const findAll = () => {
		const text = existsSync(logFile) ? readFileSync(logFile, 'utf8') : '';
		return text.endsWith('\n') && text.trim().split(' ').map(Number);
	};
	const family = await waitFor('the family', findAll);
	expect(family).toHaveLength(3);
	return family;
}

async function expectEndOf(family: number[]): Promise<void> {
	await waitFor('the end of the family', () => !family.some(isRunning));
}

describe('A command with servers', () => {
	test('leaves nothing running when it is killed outright', async () => {
		const { child } = runProbe('serve', [logFile]);
		const family = await findFamily();
		child.kill('SIGKILL');
		await expectEndOf(family);
	});

	test('leaves nothing running when npm is killed outright', async () => {
		const { child, waitForOutput } = runProbeBelowParent('serve', [logFile]);
		const family = await findFamily();
		child.kill('SIGKILL');
		await waitForOutput('npm has ended: stopping.');
		await expectEndOf(family);
	});
});

describe('An installation in the cache', () => {
	let env: Record<string, string>;

	beforeEach(() => {
		env = { VIDEO_GENERATION_CACHE_DIR: join(folder, 'cache') };
	});

	test('is made once by two commands at the same time, and found by a third', async () => {
		const runs = [runProbe('install', [], env), runProbe('install', [], env)];
		expect(await Promise.all(runs.map(({ ended }) => ended))).toEqual([0, 0]);
		const third = runProbe('install', [], env);
		await third.ended;
		const output = [...runs, third].map(({ getOutput }) => getOutput()).join('');
		expect(output.match(/installing\n/g)).toHaveLength(1);
		const folders = [...output.matchAll(/folder (.+)\n/g)].map(([, path]) => path);
		expect(new Set(folders).size).toBe(1);
		expect(readdirSync(folders[0] ?? '').sort()).toEqual(['package.json', 'result']);
	});

	test('that fails or is interrupted leaves nothing behind', async () => {
		expect(await runProbe('install', ['fail'], env).ended).toBe(1);
		expect(readdirSync(env.VIDEO_GENERATION_CACHE_DIR ?? '')).toEqual([]);
		const { child, waitForOutput, ended } = runProbe('install', [], env);
		await waitForOutput('installing');
		child.kill('SIGTERM');
		expect(await ended).toBe(143);
		expect(readdirSync(env.VIDEO_GENERATION_CACHE_DIR ?? '')).toEqual([]);
	});
});
