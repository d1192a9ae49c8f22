import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import { readVideoFile } from '../../sandbox/files/readVideoFile';
import { OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { playLives } from '../support/engine/playLives';
import { runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
useBinaryStore();

const CONTINUE = { onError: 'continueErrorOutput' } as const;
const RETRY = { retryOnFail: true, maxTries: 2, waitBetweenTries: 0 };
const ADD = { ...OPERATIONS['queue.add'], waitForCompletion: true, downloadVideo: true };
const WAIT = {
	...{ resource: 'queue', operation: 'wait', queueId: '={{ $json.queueId }}' },
	projectId: { __rl: true, mode: 'id', value: PROJECT },
	downloadVideo: true,
};

const run = async (
	parameters: INodeParameters,
	items: IDataObject[] = [{}],
	settings: Partial<INode> = {},
) =>
	await runWithoutWaiting(
		async () => await runNode({ ...service.setup(parameters), items, settings }),
		service.sandbox,
	);
const count = (operation: string) =>
	service.sandbox.requests.filter((request) => request.operation === operation).length;

async function queueVideo(): Promise<string> {
	const { items } = await service.run(OPERATIONS['queue.add']);
	return items[0]?.json.queueId as string;
}

describe('Download Video', () => {
	test.each([
		['Queue > Add', ADD],
		['Queue > Wait', WAIT],
	])('has the finished item of %s carry its file', async (name, parameters) => {
		const items = name === 'Queue > Wait' ? [{ queueId: await queueVideo() }] : [{}];
		const result = await run({ ...parameters, binaryPropertyName: 'film' }, items);
		expect(result.error).toBeUndefined();
		const [item] = result.items;
		expect(item?.json).toMatchObject({ status: 'completed', video: { projectId: PROJECT } });
		expect(item?.binary?.film).toMatchObject({
			mimeType: 'video/mp4',
			bytes: readVideoFile('product-teaser').length,
		});
		expect(item?.pairedItem).toEqual({ item: 0 });
	});

	test('sends the file to each of several items, and no key to its host', async () => {
		playLives(service.sandbox, { processingMs: 3_000 }, { processingMs: 23_000 });
		const { items } = await run(ADD, [{}, {}]);
		expect(items.map(({ binary }) => binary?.data?.mimeType)).toEqual(['video/mp4', 'video/mp4']);
		const downloads = service.sandbox.requests.filter(
			({ operation }) => operation === 'video.file',
		);
		expect(downloads).toHaveLength(2);
		for (const { headers } of downloads) expect(headers).not.toHaveProperty('authorization');
	});

	test('of a video whose entry has no address says so', async () => {
		service.sandbox.addFault({ kind: 'missingField', field: 'videos.0.url' });
		const { errorItems } = await run(ADD, [{}], CONTINUE);
		expect(errorItems[0]?.json).toMatchObject({
			error: 'The address of the video is not a web address',
			details: { queueId: expect.any(String) as string, videoUrl: null },
		});
	});

	test('that fails tells where the video is, and queues nothing again', async () => {
		service.sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file' });
		const { errorItems } = await run(ADD, [{}], CONTINUE);
		expect(errorItems[0]?.json).toMatchObject({
			error: 'There is no video at this address (404)',
			details: {
				queueId: service.sandbox.charges[0]?.queueId,
				videoUrl: expect.stringContaining('/files/') as string,
				httpCode: '404',
				mayBeQueued: false,
			},
		});
		expect(service.sandbox.charges).toHaveLength(1);
	});

	test.each([
		['Queue > Add', ADD],
		['Queue > Wait', WAIT],
	])('of %s is all that Retry On Fail does again', async (name, parameters) => {
		const items = name === 'Queue > Wait' ? [{ queueId: await queueVideo() }] : [{}];
		const before = service.sandbox.charges.length;
		service.sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file', nth: 1 });
		const looks: number[] = [];
		const stop = service.sandbox.onRequest(({ operation }) => {
			if (operation === 'video.file') looks.push(count('queue.getProgress'));
		});
		const result = await run(parameters, items, RETRY);
		stop();
		expect(result.error).toBeUndefined();
		expect(result.items[0]?.binary?.data).toBeDefined();
		expect(looks).toHaveLength(2);
		expect(looks[1]).toBe(looks[0]);
		expect(service.sandbox.charges).toHaveLength(name === 'Queue > Wait' ? before : before + 1);
	});

	test('downloads nothing twice of what an earlier try has downloaded', async () => {
		playLives(service.sandbox, { processingMs: 3_000 }, { processingMs: 23_000 });
		service.sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file', nth: 2 });
		const { items } = await run(ADD, [{}, {}], RETRY);
		expect(items).toHaveLength(2);
		expect(count('video.file')).toBe(3);
	});

	test('fails an item whose video cannot be told from others, with the candidates', async () => {
		const { errorItems } = await run(ADD, [{}, {}], CONTINUE);
		expect(errorItems).toHaveLength(2);
		for (const { json } of errorItems) {
			expect(json).toMatchObject({
				error: 'The video could not be identified, so it was not downloaded',
				message: expect.stringContaining('any of 2 videos') as string,
			});
			const { queueId, videoCandidates } = json.details as IDataObject;
			expect(service.sandbox.charges.map((each) => each.queueId)).toContain(queueId);
			expect(videoCandidates).toHaveLength(2);
		}
		expect(count('video.file')).toBe(0);
	});

	test('is off in workflows that were saved without it', async () => {
		const { items } = await run({ ...ADD, downloadVideo: undefined });
		expect(items[0]?.binary).toBeUndefined();
		expect(count('video.file')).toBe(0);
	});
});
