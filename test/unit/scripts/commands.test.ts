import { spawn, type ChildProcess } from 'node:child_process';
import { existsSync, mkdtempSync, readFileSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isRunning } from '../../../scripts/support/processGroups';
import { waitFor } from '../../../scripts/waitFor';

// Each test starts several processes, which take their time on a busy machine.
jest.setTimeout(120_000);

const PROBE = '../test/unit/scripts/support/probe';

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

/** Runs the probe in a shell below another process, as npm runs a script. */
function runBelowParent(): ChildProcess {
	const command = [process.execPath, 'scripts/run.mjs', PROBE, logFile];
	const quoted = command.map((part) => `'${part}'`).join(' ');
	const script = `
		require('node:child_process').spawn('sh', ['-c', ${JSON.stringify(`${quoted}; true`)}], { stdio: 'inherit' });
		setInterval(() => undefined, 1000);`;
	const env = { ...process.env, npm_lifecycle_event: 'start' };
	return spawn(process.execPath, ['-e', script], { env });
}

describe('A command with servers leaves nothing running', () => {
	test.each([
		[
			'it is killed outright',
			() => spawn(process.execPath, ['scripts/run.mjs', PROBE, logFile], { stdio: 'ignore' }),
		],
		['npm is killed outright', runBelowParent],
	])('when %s', async (_what, start) => {
		const child = start();
		let output = '';
		child.stdout?.on('data', (chunk: Buffer) => (output += chunk.toString()));
		const family = await findFamily();
		child.kill('SIGKILL');
		if (start === runBelowParent) {
			await waitFor('the message', () => output.includes('npm has ended: stopping.'));
		}
		await waitFor('the end of the family', () => !family.some(isRunning));
	});
});
