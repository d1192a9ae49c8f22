import { createInterface } from 'node:readline';
import { endProcessTree } from './endProcessTree';

/**
 * Reads `+pid` and `-pid`, line by line; at the end of its input it ends what is still on the list.
 * @param graceMs how long each gets to end in its own way
 */
async function guardProcesses(graceMs: number): Promise<void> {
	const pids = new Set<number>();
	for await (const line of createInterface({ input: process.stdin })) {
		const pid = Number(line.slice(1));
		if (line.startsWith('+')) pids.add(pid);
		else pids.delete(pid);
	}
	await Promise.all([...pids].map((pid) => endProcessTree(pid, graceMs)));
}

void guardProcesses(Number(process.argv[2]));
