import type { ChildProcess } from 'node:child_process';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { join } from 'node:path';
import axios from 'axios';
import { waitFor } from '../../../scripts/waitFor';
import { parseCommandLine } from '../../../sandbox/commandLine';

const running = new Set<ChildProcess>();

afterEach(() => {
	for (const { pid } of running) process.kill(-Number(pid), 'SIGKILL');
});

/** Runs the command of `npm run sandbox -- …` in its own process group, as a terminal does. */
function runSandbox(...args: string[]) {
	const command = ['--import', 'tsx', 'sandbox/main.ts', ...args];
	const cwd = join(__dirname, '../../..');
	const child = spawn(process.execPath, command, { cwd, detached: true });
	running.add(child);
	let output = '';
	for (const stream of [child.stdout, child.stderr]) {
		stream.on('data', (chunk: Buffer) => (output += chunk.toString()));
	}
	const exit = once(child, 'close').then(([code]) => {
		running.delete(child);
		return { code: code as number | null, output };
	});
	return { child, readOutput: () => output, exit };
}

test('The sandbox prints what is needed to try it, works, and ends at once with Ctrl-C', async () => {
	const { child, readOutput, exit } = runSandbox('--port', '0');
	await waitFor('the last project', () => readOutput().includes('Garden story'));
	const url = /Address\s+(http:\S+)/.exec(readOutput())?.[1] ?? '';
	const apiKey = /main\s+(sandbox-key-\S+)/.exec(readOutput())?.[1] ?? '';
	expect(readOutput()).toMatch(/project-launch-film\s+Launch film/);

	const headers = { Authorization: `Bearer ${apiKey}` };
	const account = await axios.get<unknown>(`${url}/v1/user/account`, { headers, proxy: false });
	expect(account.data).toMatchObject({ usage: { remainingCredits: 100 } });

	// A terminal interrupts every process of the group.
	process.kill(-Number(child.pid), 'SIGINT');
	expect((await exit).code).toBe(0);
	await expect(axios.get(url, { proxy: false })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('The sandbox says which port is taken', async () => {
	const server = createServer().listen(0, '127.0.0.1');
	await once(server, 'listening');
	const { port } = server.address() as { port: number };
	const { code, output } = await runSandbox('--port', String(port)).exit;
	server.close();
	expect(code).toBe(1);
	expect(output.trim()).toBe(
		`Port ${port} is in use. Stop what uses it, or choose another one with --port.`,
	);
});

test('The sandbox has new ids each time, real time, help, and refuses other options', () => {
	const [first, second] = [parseCommandLine([]), parseCommandLine([])];
	expect(first).toMatchObject({ port: 3456, clock: 'real' });
	expect(first?.seed).not.toBe(second?.seed);
	expect(parseCommandLine(['-h'])).toBeNull();
	expect(() => parseCommandLine(['--ports', '1'])).toThrow("Unknown option '--ports'");
});
