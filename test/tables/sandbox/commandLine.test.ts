import { spawn } from 'node:child_process';
import { once } from 'node:events';
import axios from 'axios';
import { waitFor } from '../../../scripts/waitFor';
import { parseCommandLine } from '../../../sandbox/commandLine';

test('The sandbox prints what is needed to try it, works, and ends at once with Ctrl-C', async () => {
	// A process group of its own, as in a terminal.
	const command = ['--import', 'tsx', 'sandbox/main.ts', '--port', '0'];
	const child = spawn(process.execPath, command, { detached: true });
	const exit = once(child, 'close');
	let output = '';
	child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
	await waitFor('the last project', () => output.includes('Garden story'));
	const url = /Address\s+(http:\S+)/.exec(output)?.[1] ?? '';
	const apiKey = /main\s+(sandbox-key-\S+)/.exec(output)?.[1] ?? '';
	expect(output).toMatch(/project-launch-film\s+Launch film/);

	const headers = { Authorization: `Bearer ${apiKey}` };
	const account = await axios.get<unknown>(`${url}/v1/user/account`, { headers, proxy: false });
	expect(account.data).toMatchObject({ usage: { remainingCredits: 100 } });

	// A terminal interrupts every process of the group.
	process.kill(-Number(child.pid), 'SIGINT');
	expect(await exit).toEqual([0, null]);
	await expect(axios.get(url, { proxy: false })).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

test('The sandbox has new ids each time, real time, help, and refuses other options', () => {
	const [first, second] = [parseCommandLine([]), parseCommandLine([])];
	expect(first).toMatchObject({ port: 3456, clock: 'real' });
	expect(first?.seed).not.toBe(second?.seed);
	expect(parseCommandLine(['-h'])).toBeNull();
	expect(() => parseCommandLine(['--ports', '1'])).toThrow("Unknown option '--ports'");
});
