import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync } from 'node:fs';
import { createServer, type AddressInfo, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '../../../scripts/support/processGroups';
import { waitFor } from '../../../scripts/waitFor';
import { runProbe, runProbeBelowParent, runScript } from './support/runScript';

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
	test('ends them and all that they have started at a Ctrl-C, though none of them wants to', async () => {
		const { child, getOutput, ended } = runProbe('serve', [logFile]);
		const family = await findFamily();
		child.kill('SIGINT');
		child.kill('SIGINT');
		expect(await ended).toBe(0);
		await expectEndOf(family);
		expect(getOutput()).toContain('SIGINT: stopping.');
		expect(getOutput()).toContain('Everything is stopped.');
	});

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

	test('ends with the last lines of a server that ends by itself', async () => {
		const { getOutput, ended } = runProbe('die', [logFile]);
		expect(await ended).toBe(1);
		expect(getOutput()).toContain('The printer stopped unexpectedly');
		expect(getOutput()).toContain('exit code 7');
		expect(getOutput()).toContain('Its last lines:\nout of ink\nFull log: ');
	});
});

test('A step that fails says so once, with the last lines of its command', async () => {
	const { getOutput, ended } = runProbe('fail');
	expect(await ended).toBe(1);
	expect(getOutput()).toContain('Command failed with exit code 3');
	expect(getOutput().match(/Making room \[FAILED/g)).toHaveLength(1);
	expect(getOutput().match(/no room\n?/g)).toHaveLength(2); // The command itself contains it, too.
	expect(getOutput()).not.toContain('line 50\n');
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

describe('The ports', () => {
	const servers: Server[] = [];

	async function takePort(): Promise<number> {
		const server = createServer();
		servers.push(server);
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
		return (server.address() as AddressInfo).port;
	}

	async function releasePorts(): Promise<void> {
		for (const server of servers.splice(0)) await new Promise((resolve) => server.close(resolve));
	}

	afterEach(releasePorts);

	test('are those that were asked for', async () => {
		const ports = [await takePort(), await takePort()];
		await releasePorts();
		const { getOutput, ended } = runProbe('ports', ports.map(String));
		await ended;
		expect(JSON.parse(getOutput())).toMatchObject({ n8n: ports[0], sandbox: ports[1] });
	});

	test('that were asked for and are taken are an error that says what to do', async () => {
		const port = await takePort();
		const { getOutput, ended } = runProbe('ports', [String(port)]);
		expect(await ended).toBe(1);
		expect(getOutput()).toContain(`Port ${port} (--port) is in use or not allowed.`);
	});
});

test('A folder belongs to one command at a time, and is free again when that is killed', async () => {
	const first = runProbe('claim', [folder]);
	await first.waitForOutput('Ctrl+C');
	const second = runProbe('claim', [folder]);
	expect(await second.ended).toBe(1);
	expect(second.getOutput()).toContain('This is already running in this project');
	first.child.kill('SIGKILL');
	await first.ended;
	await waitFor('the folder to be free', async () => {
		const next = runProbe('claim', [folder]);
		await waitFor('an outcome', () => /Ctrl\+C|already running/.test(next.getOutput()));
		next.child.kill('SIGTERM');
		await next.ended;
		return next.getOutput().includes('Ctrl+C');
	});
});

describe('npm start', () => {
	test('prints its help', async () => {
		const { getOutput, ended } = runScript(['start', '--help']);
		expect(await ended).toBe(0);
		expect(getOutput()).toContain('npm start -- --once');
	});

	test.each([
		['--onec', "Unknown option '--onec'"],
		['--port=65536', '--port needs a number from 1 to 65535, not "65536".'],
	])('refuses %s with a sentence that points to the help', async (argument, sentence) => {
		const { getOutput, ended } = runScript(['start', argument]);
		expect(await ended).toBe(1);
		expect(getOutput()).toContain(sentence);
		expect(getOutput()).toContain('--help to list the options');
		expect(getOutput()).not.toContain('    at ');
	});
});
