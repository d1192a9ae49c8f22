import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const GRACE_MS = 5_000;
const LOOK_AGAIN_MS = 50;

/**
 * Ends a process that leads a group of its own, and everything in the group. The leader is asked first,
 * so that it can end its own children in order; what is left after that, or after `graceMs`, is killed.
 */
export async function endGroup(leader: number, graceMs = GRACE_MS): Promise<void> {
	if (process.platform === 'win32') {
		// Windows has neither groups nor signals to ask with.
		const args = ['/pid', String(leader), '/T', '/F'];
		await new Promise((resolve) => execFile('taskkill', args, resolve));
		return;
	}
	const killAt = Date.now() + graceMs;
	sendSignal(leader, 'SIGTERM');
	while (Date.now() < killAt && isRunning(leader)) await delay(LOOK_AGAIN_MS);
	sendSignal(-leader, 'SIGKILL');
}

/** Whether there is a process with this number. */
export function isRunning(pid: number): boolean {
	return sendSignal(pid, 0);
}

function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
	try {
		return process.kill(pid, signal);
	} catch (error) {
		// A process of another user is there, though it takes no signals of ours.
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

let guard: ChildProcess | undefined;

/**
 * Has a group ended when this process is gone, even if it is killed outright: a guard process learns
 * of that when the system closes its input.
 */
export function guardGroup(leader: number): void {
	guard ??= startGuard();
	guard.stdin?.write(`+${leader}\n`);
}

/** Of a group that has ended, so that its number may come to belong to somebody else. */
export function releaseGroup(leader: number): void {
	guard?.stdin?.write(`-${leader}\n`);
}

function startGuard(): ChildProcess {
	const child = spawn(process.execPath, ['--import', 'tsx', __filename], {
		stdio: ['pipe', 'ignore', 'ignore'],
		// A Ctrl-C in the terminal is not meant for it.
		detached: true,
	});
	// Without a guard this process still ends all its groups, unless it is killed outright.
	child.on('error', () => undefined);
	child.stdin.on('error', () => undefined);
	// This process must not wait for the guard, which waits for this process to end.
	child.unref();
	(child.stdin as unknown as { unref(): void }).unref();
	return child;
}

/** The guard's own program: it reads `+leader` and `-leader`, and ends what is left when its input ends. */
async function runGuard(): Promise<void> {
	const leaders = new Set<number>();
	for await (const line of createInterface({ input: process.stdin })) {
		if (line.startsWith('+')) leaders.add(Number(line.slice(1)));
		else leaders.delete(Number(line.slice(1)));
	}
	await Promise.all([...leaders].map((leader) => endGroup(leader)));
}

if (require.main === module) void runGuard();
