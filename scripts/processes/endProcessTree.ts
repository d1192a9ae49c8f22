import { execFile } from 'node:child_process';
import { setTimeout as delay } from 'node:timers/promises';
import { findProcessTree } from './findProcessTree';
import { listProcesses } from './listProcesses';

const LOOK_AGAIN_MS = 50;

/**
 * Ends a process that was started as the leader of its own group, with everything it started.
 * The root is asked first, so that it can end its own children in order; what is left then is asked,
 * and whatever still runs after `graceMs` is killed.
 */
export async function endProcessTree(rootPid: number, graceMs: number): Promise<void> {
	if (process.platform === 'win32') {
		await endWindowsTree(rootPid);
		return;
	}
	const killAt = Date.now() + graceMs;
	const asked = new Set<number>();
	const known = new Set<number>();
	for (;;) {
		const left = findProcessTree(rootPid, listProcesses(), known);
		if (left.length === 0) return;
		left.forEach((pid) => known.add(pid));
		if (Date.now() >= killAt) {
			left.forEach((pid) => {
				sendSignal(pid, 'SIGKILL');
			});
		} else {
			const toAsk = left.includes(rootPid) ? [rootPid] : left;
			for (const pid of toAsk.filter((candidate) => !asked.has(candidate))) {
				asked.add(pid);
				sendSignal(pid, 'SIGTERM');
			}
		}
		await delay(LOOK_AGAIN_MS);
	}
}

function sendSignal(pid: number, signal: NodeJS.Signals): void {
	try {
		process.kill(pid, signal);
	} catch {
		// It has ended in the meantime, which is what was wanted.
	}
}

/** Windows has no signals to ask with: its own tool ends a whole tree at once. */
async function endWindowsTree(rootPid: number): Promise<void> {
	await new Promise<void>((resolve) => {
		execFile('taskkill', ['/pid', String(rootPid), '/T', '/F'], () => {
			resolve();
		});
	});
}
