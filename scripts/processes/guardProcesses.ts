import { createInterface } from 'node:readline';
import { endProcessTree } from './endProcessTree';

const GRACE_MS = 5_000;

/** Reads `+pid` and `-pid`, line by line; at the end of its input it ends what is still on the list. */
async function guardProcesses(): Promise<void> {
	const pids = new Set<number>();
	for await (const line of createInterface({ input: process.stdin })) {
		const pid = Number(line.slice(1));
		if (line.startsWith('+')) pids.add(pid);
		else pids.delete(pid);
	}
	await Promise.all([...pids].map((pid) => endProcessTree(pid, GRACE_MS)));
}

void guardProcesses();
