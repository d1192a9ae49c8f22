import { listNewest } from '../../../nodes/VideoGeneration/n8n/whileRunning';

const count = (n: number, length: number) =>
	Array.from({ length: n }, (_, i) => String(i).padStart(length, 'q'));

test.each<[what: string, ids: string[], expected: RegExp]>([
	['all of a few', ['a', 'b', 'c'], /^a, b, c$/],
	['the newest of several hundred', count(300, 36), /^q+294, (q+\d+, ){4}q+299 and 294 more$/],
	['the newest of many short ones', count(5_000, 1), /^.*, 4998, 4999 and 49\d\d more$/],
	['one that is just short enough', count(1, 255), /^q+0$/],
	['none that is longer than n8n allows', count(2, 256), /^2 with long IDs$/],
])('The value of a stopped execution names %s, in 255 characters', (_what, ids, expected) => {
	const text = listNewest(ids);
	expect(text).toMatch(expected);
	expect(text.length).toBeLessThanOrEqual(255);
});
