import {
	DEFAULT_COMPLETED_STATUSES,
	DEFAULT_FAILED_STATUSES,
	getStatus,
	getVerdict,
	parseStatusWords,
} from '../../../nodes/VideoGeneration/waiting/status';

describe('The progress of a queue item', () => {
	const WORDS = {
		completed: parseStatusWords(DEFAULT_COMPLETED_STATUSES),
		failed: parseStatusWords(DEFAULT_FAILED_STATUSES),
	};

	test.each([
		[{ status: 'completed' }, 'finished'],
		[{ status: 'COMPLETED' }, 'finished'],
		[{ status: ' Done ' }, 'finished'],
		[{ status: 'success' }, 'finished'],
		[{ status: 'pending' }, 'running'],
		[{ status: 'a word nobody knows' }, 'running'],
		[{ status: '' }, 'running'],
		[{ status: null }, 'running'],
		[{ status: 5 }, 'running'],
		[{}, 'running'],
		[{ status: 'failed' }, 'failed'],
		[{ status: 'Error' }, 'failed'],
		[{ status: 'canceled' }, 'failed'],
		[{ status: 'rendering', videoUrl: 'https://x/v.mp4' }, 'finished'],
		[{ status: 'rendering', videoUrl: null }, 'running'],
		[{ status: 'rendering', videoUrl: ' ' }, 'running'],
		[{ status: 'failed', videoUrl: 'https://x/v.mp4' }, 'failed'],
		[{ status: 'rendering', generationProgress: 100, renderProgress: 100 }, 'running'],
	])('of %j is %s', (details, expected) => {
		expect(getVerdict(details, WORDS)).toBe(expected);
	});

	test('goes by the words of the user', () => {
		const words = {
			completed: parseStatusWords(' Im Kasten ,READY'),
			failed: parseStatusWords('verpatzt'),
		};
		expect(getVerdict({ status: 'im kasten' }, words)).toBe('finished');
		expect(getVerdict({ status: 'ready' }, words)).toBe('finished');
		expect(getVerdict({ status: 'Verpatzt' }, words)).toBe('failed');
		expect(getVerdict({ status: 'completed' }, words)).toBe('running');
	});

	test('needs an address when the user has left no word', () => {
		const words = { completed: parseStatusWords(' , '), failed: parseStatusWords('') };
		expect(getVerdict({ status: '' }, words)).toBe('running');
		expect(getVerdict({ status: '', videoUrl: 'https://x' }, words)).toBe('finished');
	});

	test.each([
		[{ status: 'rendering' }, 'rendering'],
		[{ status: 3 }, '3'],
		[{ status: null }, 'unknown'],
		[{}, 'unknown'],
	])('of %j is told as %s', (details, expected) => {
		expect(getStatus(details)).toBe(expected);
	});
});
