import { createHash } from 'node:crypto';
import axios from 'axios';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { readVideoFile } from '../../sandbox/files/readVideoFile';
import { ActiveTrigger, STORAGES } from '../support/engine/ActiveTrigger';
import type { Storage } from '../support/engine/ActiveTrigger';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { testWith } from '../support/engine/testWith';
import { useFileHost } from '../support/engine/useFileHost';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const store = useBinaryStore();
const host = useFileHost();

const VIDEO = readVideoFile('product-teaser');

const activate = async (storage: Storage, options: object = {}, budgetMs?: number) => {
	const trigger = await ActiveTrigger.create({
		credentials: { baseUrl: service.sandbox.url, apiKey: service.sandbox.apiKey },
		storage,
		budgetMs,
		parameters: { options: { downloadVideo: true, ...options } },
	});
	await trigger.activate();
	return trigger;
};

describe.each(STORAGES)('The trigger with downloading, its state in %s,', (storage) => {
	test('hands on each video with its file, and asks for the file without the key', async () => {
		const trigger = await activate(storage);
		const [video] = service.sandbox.addVideos('main', [{}]);
		const { items } = await trigger.poll();
		expect(items).toHaveLength(1);
		expect(items?.[0]?.json).toMatchObject({ id: video?.id });
		const file = items?.[0]?.binary?.data;
		expect(file).toMatchObject({ mimeType: 'video/mp4', fileExtension: 'mp4' });
		const fileRequests = service.sandbox.requests.filter(
			({ operation }) => operation === 'video.file',
		);
		expect(fileRequests.map(({ headers }) => headers.authorization)).toEqual([undefined]);
		const source = await axios.get<Buffer>(items?.[0]?.json.url as string, {
			responseType: 'arraybuffer',
		});
		expect(await store.hash(file)).toBe(createHash('sha256').update(source.data).digest('hex'));
		expect(await trigger.poll()).toEqual({ items: null });
	});

	test('keeps no video back for a file that cannot be had, and does not tell of it twice', async () => {
		const trigger = await activate(storage, { binaryPropertyName: 'film' });
		service.sandbox.addVideos('main', [{ id: 'gone' }, { id: 'there' }]);
		service.sandbox.addFault({
			kind: 'status',
			status: 404,
			operation: 'video.file',
			containing: 'gone',
		});
		const { items } = await trigger.poll();
		const [gone, there] = ['gone', 'there'].map((id) => items?.find(({ json }) => json.id === id));
		expect(gone?.binary).toBeUndefined();
		expect(gone?.json.downloadError).toEqual({
			message: expect.stringContaining('no video at this address') as string,
			description: expect.stringContaining('Video > Get Many') as string,
		});
		expect(there?.binary).toHaveProperty('film');
		expect(there?.json).not.toHaveProperty('downloadError');
		expect(store.listFiles()).toHaveLength(1);
		expect(await trigger.poll()).toEqual({ items: null });
	});

	test.each([
		['is gone', { kind: 'status', status: 404 }, /link in 'url' may have expired/],
		['is forbidden', { kind: 'status', status: 403 }, /link in 'url' may have expired/],
		['is refused', { kind: 'status', status: 402 }, /Check 'url' of this item/],
		['is a web page', { kind: 'html' }, /link in 'url' may have expired/],
		['is limited', { kind: 'tooManyRequests', retryAfter: 'none' }, /later in the workflow/],
	] as [string, FaultSpec, RegExp][])(
		'explains a file that %s without fields that only the other node has',
		async (_what, fault, expected) => {
			const trigger = await activate(storage);
			service.sandbox.addVideos('main', [{}]);
			service.sandbox.addFault({ ...fault, operation: 'video.file' });
			const { items } = await runWithoutWaiting(() => trigger.poll());
			const { description } = items?.[0]?.json.downloadError as { description: string };
			expect(description).toMatch(expected);
			expect(description).not.toMatch(/Video URL|Max Tries|Enter/);
		},
	);

	test('explains a video whose address is not a web address', async () => {
		const trigger = await activate(storage);
		service.sandbox.addVideos('main', [{ url: 'file:///etc/hosts' }, { url: ' ' }]);
		const { items } = await trigger.poll();
		expect(items?.map(({ json }) => json.downloadError)).toEqual(
			Array.from({ length: 2 }, () => ({
				message: "The 'url' of the video is not a web address",
				description: expect.stringContaining('Video > Get Many') as string,
			})),
		);
	});

	test('gives up a file that takes longer than n8n gives a poll, and leaves no half of it', async () => {
		const trigger = await activate(storage);
		service.sandbox.addVideos('main', [{}]);
		service.sandbox.addFault({
			kind: 'status',
			status: 503,
			headers: { 'retry-after': '110' },
			operation: 'video.file',
		});
		const { items } = await runWithoutWaiting(() => trigger.poll());
		expect(items?.[0]?.json.downloadError).toMatchObject({
			message: expect.stringMatching(/^[A-Z]/) as string,
		});
		expect(store.listFiles()).toEqual([]);
	});

	testWith(
		'pollBudget',
		'is over in the time that n8n gives it, however long the list takes',
		async () => {
			const trigger = await activate(storage, {}, 36_000);
			service.sandbox.addVideos('main', [{}]);
			service.sandbox.addFault({
				kind: 'tooManyRequests',
				retryAfter: 'seconds',
				seconds: 30,
				operation: 'video.getAll',
				times: 1,
			});
			service.sandbox.addFault({
				kind: 'status',
				status: 503,
				headers: { 'retry-after': '3' },
				operation: 'video.file',
			});
			const { items, tookMs } = await runWithoutWaiting(async () => {
				const startedAt = jest.now();
				return { ...(await trigger.poll()), tookMs: jest.now() - startedAt };
			});
			expect(items).toHaveLength(1);
			expect(items?.[0]?.json).toHaveProperty('downloadError');
			expect(tookMs).toBeLessThan(36_000);
		},
	);

	testWith(
		'pollBudget',
		'gives up files that stop or drip when its time is over, and keeps no part of them',
		async () => {
			const trigger = await activate(storage, {}, 1_500);
			host.answer((request, response) => {
				response.writeHead(200, { 'content-length': VIDEO.length }).write(VIDEO.subarray(0, 1000));
				if (request.url === '/stop.mp4') return;
				const drip = setInterval(() => response.write('x'), 20);
				response.once('close', () => {
					clearInterval(drip);
				});
			});
			service.sandbox.addVideos('main', [
				...['/stop.mp4', '/drip.mp4', '/3.mp4', '/4.mp4', '/waiting.mp4'].map((path) => ({
					url: host.url + path,
				})),
			]);
			const startedAt = performance.now();
			const { items } = await trigger.poll();
			// The maximum is far below the timeout of a file that stops, even on a busy machine.
			expect(performance.now() - startedAt).toBeLessThan(10_000);
			expect(items?.map(({ json }) => json.downloadError)).toEqual(
				Array.from({ length: 5 }, () => ({
					message: 'The video was not downloaded within the time that n8n allows for a poll',
					description: expect.stringContaining('Video > Download') as string,
				})),
			);
			expect(host.requests).toHaveLength(4);
			while (store.listFiles().length > 0) await new Promise((resolve) => setImmediate(resolve));
		},
	);

	test('shows the newest video with its file as a test event', async () => {
		const trigger = await activate(storage);
		service.sandbox.addVideos('main', [{}]);
		const items = await trigger.fetchTestEvent();
		expect(items?.[0]?.binary?.data).toMatchObject({ mimeType: 'video/mp4' });
	});
});
