/*
 * The wait for one queue item, with an execution of a few lines. What it does at a real service, in n8n's engine, is in
 * "promises/wait.test.ts" and "promises/whoseVideo.test.ts".
 */

import type { IDataObject } from 'n8n-workflow';
import type { Service } from '../../../nodes/VideoGeneration/api/request';
import type { Job } from '../../../nodes/VideoGeneration/item/job';
import { getKeyVideos } from '../../../nodes/VideoGeneration/waiting/accountVideos';
import { waitForVideo } from '../../../nodes/VideoGeneration/waiting/waitForVideo';

beforeEach(() => jest.useFakeTimers());

type Look = [seconds: number, status: string];

/** How a look goes that n8n's own error ends. */
const FAILS: Look = [0, 'No database'];

/** Waits for the queue item `a` of project `1`. @param looks the seconds that each look takes, and its status */
function waitFor(looks: Look[], timeoutMs = 600_000) {
	const videos = getKeyVideos({ baseUrl: 'https://wait.example.com', keyId: 1 } as Service);
	const entries: IDataObject[] = [];
	const requests = {
		signal: new AbortController().signal,
		fetchList: async () => await Promise.resolve({ entries: [...entries], parsedInMs: 0 }),
		fetchProgress: async () => {
			const next = looks.shift() ?? look('completed');
			const [seconds, status] = next;
			if (next === FAILS) throw new Error(status);
			await new Promise((resolve) => setTimeout(resolve, seconds * 1_000));
			return { status };
		},
	};
	const state = { stage: 'queued', queueId: 'a', projectId: '1' };
	const job = {
		context: { getExecutionId: () => '1' },
		ledger: { state, keep: (change: object) => Object.assign(state, change) },
		run: { isListUnreliable: false },
		api: { maxTries: 4 },
	} as unknown as Job;
	const settings = {
		...{ intervalMs: 5_000, timeoutMs, listingDelayMs: 10_000 },
		words: { completed: new Set(['completed']), failed: new Set(['failed']) },
		...{ videosAtOnce: undefined, binaryPropertyName: undefined, fileName: '' },
	};
	const end = videos.begin();
	const sentAt = performance.now();
	const waiting = waitForVideo(job, settings, { videos, requests, end }, { sentAt });
	return {
		entries,
		readList: async () => {
			await videos.list.read(requests);
		},
		waiting,
	};
}

const look = (status: string, seconds = 0): Look => [seconds, status];

test('An item that runs again while a list settles it goes on, and is given its video', async () => {
	const { entries, readList, waiting } = waitFor([
		look('processing'),
		...Array<Look>(2).fill(look('completed')),
		// The last look of its Listing Delay. Then its project is mistrusted for a while.
		...[look('processing', 3), ...Array<Look>(25).fill(look('processing'))],
	]);
	await jest.advanceTimersByTimeAsync(21_000);
	const reading = readList();
	await jest.advanceTimersByTimeAsync(1_500);
	await reading;
	await jest.advanceTimersByTimeAsync(120_000);
	entries.push({ id: 1, projectId: '1', url: 'https://cdn.example.com/own' });
	await jest.advanceTimersByTimeAsync(600_000);
	expect(await waiting).toMatchObject({ json: { video: entries[0] } });
});

test("An item that is given up says why its last look failed, also in n8n's own words", async () => {
	const { waiting } = waitFor([look('processing'), ...Array<Look>(2).fill(FAILS)], 12_000);
	const failure = waiting.catch((error: unknown) => error);
	await jest.advanceTimersByTimeAsync(20_000);
	expect(await failure).toMatchObject({
		facts: { kind: 'timedOut', lastStatus: 'processing', serviceMessage: 'No database' },
	});
});
