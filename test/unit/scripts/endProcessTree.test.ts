import { spawn } from 'node:child_process';
import { join } from 'node:path';
import { endProcessTree } from '../../../scripts/processes/endProcessTree';
import { isRunning } from '../../../scripts/processes/isRunning';
import { waitUntil } from './support/waitUntil';

const GRACE_MS = 100;

async function startNode(args: string[]): Promise<{ pid: number; output: string }> {
	const child = spawn(process.execPath, args, {
		stdio: ['ignore', 'pipe', 'inherit'],
		detached: true,
	});
	return await new Promise((resolve, reject) => {
		child.once('error', reject);
		child.stdout.once('data', (chunk: Buffer) => {
			resolve({ pid: child.pid ?? 0, output: chunk.toString().trim() });
		});
	});
}

describe('ending a process tree', () => {
	it('kills a process, its child and a grandchild in another group that all ignore SIGTERM', async () => {
		const { pid, output } = await startNode([join(__dirname, 'support', 'familyOfThree.mjs')]);
		const family = output.split(' ').map(Number);
		expect(family).toHaveLength(3);

		await endProcessTree(pid, GRACE_MS);

		await waitUntil(() => !family.some(isRunning));
	});

	it('lets a process that heeds SIGTERM end in its own way', async () => {
		const script = `
			setInterval(() => undefined, 1000);
			process.on('SIGTERM', () => { console.log('goodbye'); process.exit(0); });
			console.log('ready');`;
		const child = spawn(process.execPath, ['-e', script], { detached: true });
		let output = '';
		child.stdout.on('data', (chunk: Buffer) => (output += chunk.toString()));
		const closed = new Promise((resolve) => child.once('close', resolve));
		await waitUntil(() => output.includes('ready'));

		await endProcessTree(child.pid ?? 0, 60_000);

		expect(await closed).toBe(0);
		expect(output).toContain('goodbye');
	});

	it('ends what a process has left in its group when it died', async () => {
		const script = `
			const { spawn } = require('node:child_process');
			const child = spawn(process.execPath, ['-e', 'setInterval(() => undefined, 1000)']);
			console.log(child.pid);
			setTimeout(() => process.kill(process.pid, 'SIGKILL'), 1);`;
		const { pid, output } = await startNode(['-e', script]);
		const orphan = Number(output);
		await waitUntil(() => !isRunning(pid));
		expect(isRunning(orphan)).toBe(true);

		await endProcessTree(pid, GRACE_MS);

		await waitUntil(() => !isRunning(orphan));
	});

	it('is content when the process has ended already', async () => {
		const { pid } = await startNode(['-e', 'console.log(1)']);
		await waitUntil(() => !isRunning(pid));
		await expect(endProcessTree(pid, GRACE_MS)).resolves.toBeUndefined();
	});
});
