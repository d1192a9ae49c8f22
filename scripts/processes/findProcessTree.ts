import type { ProcessEntry } from './listProcesses';

/**
 * The processes that belong to a command: the ones in its group, and all descendants of those and
 * of the ones known from an earlier look, also when they moved to a group of their own.
 */
export function findProcessTree(
	rootPid: number,
	processes: readonly ProcessEntry[],
	knownPids: ReadonlySet<number> = new Set(),
): number[] {
	const tree = new Set<number>();
	const isMember = ({ pid, parentPid, groupId }: ProcessEntry) =>
		pid === rootPid || groupId === rootPid || knownPids.has(pid) || tree.has(parentPid);
	let sizeBefore = -1;
	while (tree.size > sizeBefore) {
		sizeBefore = tree.size;
		for (const entry of processes) if (isMember(entry)) tree.add(entry.pid);
	}
	return [...tree];
}
