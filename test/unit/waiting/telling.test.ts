import { KnownService } from '../../../nodes/VideoGeneration/waiting/accountVideos';

describe('A service is expected to tell which video is whose', () => {
	const T = true;
	const F = false;
	test.each<[string, boolean[], boolean]>([
		['not before it has', [], false],
		['after it has told one', [T], true],
		['not after it has failed to', [T, F], false],
		['not when it tells now and then', [T, F, T, T, T, F, T, T, T, T], false],
		['again after four in a row', [T, F, T, T, T, T], true],
		['and after the next failure, after sixteen', [T, F, F, ...Array<boolean>(15).fill(T)], false],
		['which is the most', [F, F, F, F, ...Array<boolean>(16).fill(T)], true],
	])('%s', (_, told, expected) => {
		const service = new KnownService();
		for (const each of told) service.learn(each);
		expect(service.isTelling).toBe(expected);
	});
});
