import {
	DEFAULT_COMPLETED_STATUSES,
	DEFAULT_FAILED_STATUSES,
	judgeStatus,
	readStatusWords,
} from '../../../nodes/VideoGeneration/completion/judgeStatus';

const WORDS = {
	completed: readStatusWords(DEFAULT_COMPLETED_STATUSES),
	failed: readStatusWords(DEFAULT_FAILED_STATUSES),
};

describe('The progress of a queue item', () => {
	test.each([
		[{ status: 'completed' }, 'finished'],
		[{ status: 'COMPLETED' }, 'finished'],
		[{ status: ' Done ' }, 'finished'],
		[{ status: 'success' }, 'finished'],
		[{ status: 'pending' }, 'running'],
		[{ status: 'processing' }, 'running'],
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
		[{ status: 'rendering', videoUrl: '' }, 'running'],
		[{ status: 'failed', videoUrl: 'https://x/v.mp4' }, 'failed'],
		[{ status: 'rendering', generationProgress: 100, renderProgress: 100 }, 'running'],
	])('%j is %s', (details, expected) => {
		expect(judgeStatus(details, WORDS)).toBe(expected);
	});

	test('is judged by the words of the user', () => {
		const words = {
			completed: readStatusWords(' Im Kasten ,READY'),
			failed: readStatusWords('verpatzt'),
		};
		expect(judgeStatus({ status: 'im kasten' }, words)).toBe('finished');
		expect(judgeStatus({ status: 'ready' }, words)).toBe('finished');
		expect(judgeStatus({ status: 'Verpatzt' }, words)).toBe('failed');
		expect(judgeStatus({ status: 'completed' }, words)).toBe('running');
	});

	test('needs an address when the user has left no word', () => {
		const words = { completed: readStatusWords(' , '), failed: readStatusWords('') };
		expect(judgeStatus({ status: '' }, words)).toBe('running');
		expect(judgeStatus({ status: '', videoUrl: 'https://x' }, words)).toBe('finished');
	});
});
