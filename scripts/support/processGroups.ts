import { execFile, spawn, type ChildProcess } from 'node:child_process';
import { createInterface } from 'node:readline';
import { setTimeout as delay } from 'node:timers/promises';

const GRACE_MS = 5_000;
const LOOK_AGAIN_MS = 50;

/**
 * Ends a process that leads its own process group, and the whole group. The leader gets SIGTERM
 * first, so that it can end its children in order. The rest is killed after that, or after
 * `graceMs`.
 */
export async function endGroup(leader: number, graceMs = GRACE_MS): Promise<void> {
	if (process.platform === 'win32') {
		// Windows has neither process groups nor signals.
		const args = ['/pid', String(leader), '/T', '/F'];
		await new Promise((resolve) => execFile('taskkill', args, resolve));
		return;
	}
	const killAt = Date.now() + graceMs;
	sendSignal(leader, 'SIGTERM');
	while (Date.now() < killAt && isRunning(leader)) await delay(LOOK_AGAIN_MS);
	sendSignal(-leader, 'SIGKILL');
}

/** Returns whether a process with this id exists. */
export function isRunning(pid: number): boolean {
	return sendSignal(pid, 0);
}

function sendSignal(pid: number, signal: NodeJS.Signals | 0): boolean {
	try {
		return process.kill(pid, signal);
	} catch (error) {
		// EPERM means that the process exists, but belongs to another user and takes no signals of
		// ours.
		return (error as NodeJS.ErrnoException).code === 'EPERM';
	}
}

let guard: ChildProcess | undefined;

/**
 * Ensures that a group is ended when this process is gone, even if it is killed outright: a guard
 * process notices when the system closes its input.
 */
export function guardGroup(leader: number): void {
	guard ??= startGuard();
	guard.stdin?.write(`+${leader}\n`);
}

/** Tells the guard that a group has ended: its id may be reused by another process. */
export function releaseGroup(leader: number): void {
	guard?.stdin?.write(`-${leader}\n`);
}

function startGuard(): ChildProcess {
	const child = spawn(process.execPath, ['--import', 'tsx', __filename], {
		stdio: ['pipe', 'ignore', 'ignore'],
		// Ctrl-C in the terminal must not reach the guard.
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

/**
 * Runs as the guard process: reads `+leader` and `-leader` lines, and ends the groups that are left
 * when its input ends.
 */
async function runGuard(): Promise<void> {
	const leaders = new Set<number>();
	for await (const line of createInterface({ input: process.stdin })) {
		if (line.startsWith('+')) leaders.add(Number(line.slice(1)));
		else leaders.delete(Number(line.slice(1)));
	}
	await Promise.all([...leaders].map((leader) => endGroup(leader)));
}

if (require.main === module) void runGuard();
