import { findProcessTree } from '../../../scripts/processes/findProcessTree';

const entry = (pid: number, parentPid: number, groupId: number) => ({ pid, parentPid, groupId });

describe('finding a process tree', () => {
	it('finds descendants of any depth, in whatever order they are listed', () => {
		const processes = [entry(12, 11, 12), entry(11, 10, 10), entry(10, 1, 10), entry(99, 1, 99)];
		expect(findProcessTree(10, processes).sort()).toEqual([10, 11, 12]);
	});

	it('finds what is left in the group when the root is gone', () => {
		expect(findProcessTree(10, [entry(11, 1, 10), entry(99, 1, 99)])).toEqual([11]);
	});

	it('keeps one that was seen before, though nothing links it to the root any more', () => {
		expect(findProcessTree(10, [entry(12, 1, 12)], new Set([12]))).toEqual([12]);
	});

	it('finds nothing among strangers', () => {
		expect(findProcessTree(10, [entry(1, 0, 1), entry(99, 1, 99)])).toEqual([]);
	});
});
