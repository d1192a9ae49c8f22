import { endFinishedWaits } from '../../../nodes/VideoGeneration/completion/endFinishedWaits';
import { readStatusWords } from '../../../nodes/VideoGeneration/completion/judgeStatus';
import type { LoggedVideo } from '../../../nodes/VideoGeneration/completion/matchVideos';
import { VideoWait } from '../../../nodes/VideoGeneration/completion/VideoWait';

function createWait(queueId: string, projectId: string, state: VideoWait['state']): VideoWait {
	const order = {
		queueId,
		projectId,
		createdAt: 1_000,
		details: { status: 'pending' },
		intervalMs: 10_000,
		timeoutMs: 100_000,
		words: { completed: readStatusWords('done'), failed: readStatusWords('failed') },
		maxTries: 4,
		readProgress: () => Promise.resolve({}),
	};
	const wait = new VideoWait(order, 1_000);
	wait.state = state;
	return wait;
}

const logged = (id: string, projectId = 'p'): LoggedVideo => ({
	entry: { id, url: `http://x/${id}`, projectId },
	projectId,
	createdAt: 5_001,
	firstSeenRead: 1,
});

describe('Finished items', () => {
	test('are not given a video while another item of their project runs, whose it may be', () => {
		const finished = createWait('a', 'p', 'finished');
		const running = createWait('b', 'p', 'running');
		endFinishedWaits([finished, running], [logged('v')], 6_000);
		expect(finished.state).toBe('finished');
		running.state = 'over';
		endFinishedWaits([finished, running], [logged('v')], 6_000);
		expect(finished.state).toBe('over');
		expect(finished.given?.entry.id).toBe('v');
	});

	test('do not wait for items of other projects', () => {
		const finished = createWait('a', 'p', 'finished');
		endFinishedWaits([finished, createWait('b', 'q', 'running')], [logged('v')], 6_000);
		expect(finished.given?.entry.id).toBe('v');
	});

	test('are not given a video that another item was given before', async () => {
		const videos = [logged('v')];
		const first = createWait('a', 'p', 'finished');
		endFinishedWaits([first], videos, 6_000);
		const second = createWait('b', 'p', 'finished');
		second.readsSinceFinished = 10;
		endFinishedWaits([first, second], videos, 6_000);
		expect(await second.result).toMatchObject({ video: null, videoCandidates: [] });
	});
});
