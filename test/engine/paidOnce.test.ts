import type { ServerResponse } from 'node:http';
import { readVideoFile } from '../../sandbox/files/readVideoFile';
import { GENERATE, OPERATIONS } from '../support/engine/OPERATIONS';
import type { NodeResult, NodeSetup } from '../support/engine/runNode';
import { runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useFileHost } from '../support/engine/useFileHost';
import { useSandbox } from '../support/engine/useSandbox';

const host = useFileHost();
const service = useSandbox();
useBinaryStore();

const RETRY = { retryOnFail: true, maxTries: 3, waitBetweenTries: 0 };
const BODY = JSON.stringify({
	status: 'success',
	newQueueItem: { queueId: 'q-1', projectId: 'p', status: 'pending' },
});

/** Runs one add at a service that answers every request alike. */
async function addAt(
	answer: (response: ServerResponse) => void,
	setup: Partial<NodeSetup> = {},
): Promise<NodeResult> {
	host.answer((request, response) => {
		request.resume().on('end', () => {
			answer(response);
		});
	});
	return await runNode({
		parameters: OPERATIONS['queue.add'],
		credentials: { baseUrl: host.url, apiKey: 'key-123456' },
		...setup,
	});
}

describe('A response that calls itself a refusal and names a queue item', () => {
	test.each([
		['in a new item, with 429', 429, { status: 'error', newQueueItem: { queueId: 'q-1' } }],
		['in a new item, with 400', 400, { status: 'error', newQueueItem: { queueId: 'q-1' } }],
		['beside its words, with 200', 200, { status: 'error', queueId: 'q-1' }],
		['deeper, with 403', 403, { error: { details: [{ queueId: 'q-1' }] } }],
	])('%s, is of unknown fate: nothing is sent again', async (_where, status, body) => {
		const answer = (response: ServerResponse) =>
			response.writeHead(status).end(JSON.stringify(body));
		const settings = { ...RETRY, onError: 'continueRegularOutput' } as const;
		const { items } = await runWithoutWaiting(async () => await addAt(answer, { settings }));
		expect(host.requests).toHaveLength(1);
		expect(items[0]?.json).toMatchObject({
			message: expect.stringMatching(/^The video may have been queued.*"q-1"/) as string,
			details: { mayBeQueued: true, receivedQueueId: 'q-1' },
		});
	});
});

describe('A response to an add that stalls until the timeout', () => {
	const parameters = { ...OPERATIONS['queue.add'], requestOptions: { timeout: 2_000 } };

	test.each([
		['before its headers', (response: ServerResponse) => response.socket?.setKeepAlive(true)],
		['in its body', (response: ServerResponse) => response.writeHead(200).write(BODY.slice(0, 30))],
	])('%s is a timeout of unknown fate in every try', async (_when, answer) => {
		const first = await addAt(answer, { parameters });
		const again = await addAt(answer, { parameters, failed: first.run });
		expect(host.requests).toHaveLength(1);
		for (const { error, run } of [first, again]) {
			expect(run.status).toBe('error');
			expect(error?.message).toBe('The video service did not answer in time');
			expect(error?.description).toMatch(/^The video may have been queued/);
		}
	});

	test('behind its queue ID shows the ID', async () => {
		const answer = (response: ServerResponse) => response.writeHead(200).write(BODY.slice(0, -2));
		const settings = { onError: 'continueRegularOutput' } as const;
		const { items } = await addAt(answer, { parameters, settings });
		expect(items[0]?.json.details).toMatchObject({
			...{ mayBeQueued: true, receivedText: BODY.slice(0, -2) },
		});
	});
});

test('With the node set to stop, the error of a failed video says how to get the others', async () => {
	service.sandbox.changeProject('project-city-tour', { fails: true });
	const items = ['project-product-teaser', 'project-city-tour'].map((project) => ({ project }));
	const run = async (setup: Partial<NodeSetup> = {}) =>
		await runWithoutWaiting(
			async () => await runNode({ ...service.setup(GENERATE), items, ...setup }),
			service.sandbox,
		);
	const { error, run: failed } = await run();
	expect(error?.description).toMatch(/'On Error'.*'Continue', and retry the execution/);
	const retried = await run({ failed, settings: { onError: 'continueErrorOutput' } });
	expect(retried.items.map(({ json }) => json.status)).toEqual(['completed']);
	expect(retried.errorItems).toHaveLength(1);
	expect(service.sandbox.charges).toHaveLength(2);
});

test('With the node set to stop, the error of an add of unknown fate says how to get the others', async () => {
	service.sandbox.addFault({ kind: 'status', status: 500, operation: 'queue.add', nth: 2 });
	const { error } = await runWithoutWaiting(
		async () => await runNode({ ...service.setup(GENERATE), items: [{}, {}] }),
		service.sandbox,
	);
	expect(error?.context.mayBeQueued).toBe(true);
	expect(error?.description).toMatch(/'On Error'.*'Continue', and retry the execution/);
});

test('A download that is retried after its address has expired gets the address that the list shows now', async () => {
	const video = readVideoFile('product-teaser');
	let signature = 'old';
	host.answer(({ url = '' }, response) => {
		const videoUrl = `${host.url}/v.mp4?signature=${signature}`;
		const isListed = host.requests.some(({ url: sent }) => sent === '/v1/queue/progress/q-1');
		const list = {
			status: 'success',
			newQueueItem: { queueId: 'q-1', projectId: 'p', status: 'pending' },
			details: { status: 'completed' },
			videos: isListed ? [{ id: 7, projectId: 'p', url: videoUrl }] : [],
		};
		if (!url.startsWith('/v.mp4')) response.end(JSON.stringify(list));
		else if (url !== '/v.mp4?signature=new') response.writeHead(403).end();
		else response.writeHead(200, { 'content-type': 'video/mp4' }).end(video);
	});
	const setup = {
		parameters: { ...GENERATE, downloadVideo: true },
		credentials: { baseUrl: host.url, apiKey: 'key-123456' },
	};
	const first = await runWithoutWaiting(async () => await runNode(setup));
	expect(first.error?.message).toContain('does not allow the download (403)');
	expect(first.error?.description).toMatch(/^The video is finished and paid for\. A retry/);
	signature = 'new';
	const retry = async () => await runNode({ ...setup, failed: first.run });
	const { items } = await runWithoutWaiting(retry);
	expect(items[0]?.binary?.data?.bytes).toBe(video.length);
	expect(items[0]?.json.videoUrl).toContain('signature=new');
	expect(host.requests.filter(({ url }) => url === '/v1/queue/add')).toHaveLength(1);
});
