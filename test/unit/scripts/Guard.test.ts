import { spawn, type ChildProcess } from 'node:child_process';
import { once } from 'node:events';
import { Guard } from '../../../scripts/processes/Guard';

function startSleeper(): ChildProcess {
	const script = 'setInterval(() => undefined, 1000)';
	return spawn(process.execPath, ['-e', script], { detached: true, stdio: 'ignore' });
}

describe('a guard that was dismissed', () => {
	it('ends what it is given to watch after that, too', async () => {
		const guard = new Guard(100);
		for (const child of [startSleeper(), startSleeper()]) {
			const ended = once(child, 'exit');
			guard.watch(child.pid ?? 0);
			await guard.dismiss();
			await ended;
		}
	});
});
