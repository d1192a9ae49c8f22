/*
 * Paid once. An item is charged at most once, through all tries of Retry On Fail and all retries of its execution.
 * An add whose fate is unknown is never sent again, and a queue ID that arrived is never lost.
 *
 * The laws of random executions ("laws/laws.ts") hold this for everything that can happen; here each promise has
 * its example. What each error, status and body means is decided by pure functions ("tables/failures/errors.test.ts",
 * "tables/adds/addResponse.test.ts").
 */

import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { byId, GENERATE, OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { ERROR_OUTPUT, type NodeSetup } from '../support/engine/runNode';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';
import { like } from '../support/like';

const service = useSandbox();
const { listPaidIds } = service;
useBinaryStore();

const ADD = OPERATIONS['queue.add'];
const FIVE: IDataObject[] = ['one', 'two', 'three', 'four', 'five'].map((prompt) => ({ prompt }));
const THREE = FIVE.slice(0, 3);
const TWO = FIVE.slice(0, 2);
const ONE = FIVE.slice(0, 1);
const RETRY_ON_FAIL: Partial<INode> = { retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 };

/** Runs the node; `failed` is an execution whose Executions > Retry is pressed instead. */
const run = async (
	parameters: INodeParameters = ADD,
	items = THREE,
	more: Partial<NodeSetup> = {},
) => await service.run(parameters, { items, ...more });

const failAdd = (fault: FaultSpec) =>
	service.sandbox.addFault({ ...fault, operation: 'queue.add' });

const listSent = () =>
	service.sandbox.requests
		.filter(({ operation }) => operation === 'queue.add')
		.map(({ body }) => (body as { customPrompt?: string }).customPrompt);

describe('Several adds', () => {
	test('are sent one at a time, in the order of the items', async () => {
		const { sandbox } = service;
		sandbox.configure({ latencyMs: 20 });
		const unanswered: number[] = [];
		const stopListening = sandbox.onRequest(() => {
			unanswered.push(sandbox.requests.filter(({ status }) => status === undefined).length);
		});
		const { items } = await run(ADD, FIVE);
		stopListening();
		expect(listSent()).toEqual(['one', 'two', 'three', 'four', 'five']);
		expect(unanswered).toEqual([1, 1, 1, 1, 1]);
		expect(items.map(({ json }) => json.queueId)).toEqual(listPaidIds());
	});

	test('end with the first one that is refused when the node stops: the error lists what was accepted', async () => {
		failAdd({ kind: 'status', status: 400, message: 'Prompt not allowed', nth: 3 });
		const { error, items } = await run(ADD, FIVE);
		expect(listSent()).toEqual(['one', 'two', 'three']);
		expect(items).toEqual([]);
		const paidIds = listPaidIds();
		expect(error?.message).toBe('The video service rejected the request (400)');
		expect(error?.description).toMatch(
			/^This video was not queued\. Check.*The service said: "Prompt not allowed"\. A/,
		);
		expect(error?.description).toContain(
			`Already queued and paid for: ${paidIds.map((id) => `${id} (pending)`).join(', ')}.`,
		);
		// Executions > Retry sends the same prompt again.
		expect(error?.description).not.toContain('select Retry under');
		expect(error?.context).toMatchObject({ itemIndex: 2, acceptedQueueIds: paidIds });
		expect(error?.context.mayBeQueued).toBeUndefined();
		expect(error?.httpCode).toBe('400');
	});

	test.each(['queue.add', 'queue.getProgress'] as const)(
		'are not run again because of a key "error" in a response of %s that is a success',
		async (operation) => {
			for (const [value, serviceError] of [
				['', undefined],
				['none', 'none'],
			]) {
				service.sandbox.reset();
				service.sandbox.addFault({ kind: 'errorKey', value, operation });
				const parameters = operation === 'queue.add' ? ADD : GENERATE;
				const { items } = await run(parameters, TWO, { settings: RETRY_ON_FAIL });
				expect(listSent()).toEqual(['one', 'two']);
				expect(items).toHaveLength(2);
				expect(items[0]?.json).not.toHaveProperty('error');
				expect(items[0]?.json.serviceError).toBe(serviceError);
			}
		},
	);

	test('of a node that runs twice in one execution are paid for each run, with Retry On Fail as well', async () => {
		failAdd({ kind: 'status', status: 400, nth: 1 });
		const { runs } = await run(ADD, ONE, { settings: RETRY_ON_FAIL, times: 2 });
		expect(listSent()).toEqual(['one', 'one', 'one']);
		expect(runs.map((items) => items[0]?.json.queueId)).toEqual(listPaidIds());
	});
});

const CUT_OFF = '{"status":"success","newQueueItem":{"queueId":"q-1","status":"pen';
const REFUSAL = { status: 'error', newQueueItem: { queueId: 'q-1' } };
const HELP = 'The video may have been queued and paid.*Account > Get.*Video > Get Many';

test.each<[string, FaultSpec, RegExp, code: string, shown: object]>([
	['a 500', { kind: 'status', status: 500 }, /\(500\), so the video may have/, '500', {}],
	['a broken chunk', { kind: 'brokenHttp', part: 'chunk' }, /broke before/, 'ECONNRESET', {}],
	[
		'a refusal that names a queue item',
		{ kind: 'status', status: 429, body: REFUSAL },
		/too many requests/,
		'429',
		{ receivedQueueId: 'q-1' },
	],
	[
		'JSON that lacks its end',
		{ kind: 'status', status: 200, body: CUT_OFF },
		/was cut off/,
		'200',
		{ receivedQueueId: 'q-1', receivedText: CUT_OFF },
	],
])(
	'An add of unknown fate because of %s is sent once, also with Retry On Fail, and says so as text and as data',
	async (_what, fault, error, httpCode, shown) => {
		failAdd({ ...fault, nth: 1 });
		const settings = { ...RETRY_ON_FAIL, ...ERROR_OUTPUT };
		const { errorItems } = await run(ADD, ONE, { settings });
		const named = 'receivedQueueId' in shown ? '.*names the queue ID "q-1", which' : '';
		expect(listSent()).toEqual(['one']);
		expect(errorItems[0]?.json).toMatchObject({
			error: like(error),
			message: like(new RegExp(`^${HELP}${named}`)),
			details: { projectId: PROJECT, mayBeQueued: true, httpCode, ...shown },
		});
	},
);

describe('An accepted add', () => {
	test("is in n8n's log, with all that Queue > Wait asks for", async () => {
		const info = jest.spyOn(Container.get(Logger), 'info');
		const { items } = await run(ADD, ONE);
		const { queueId, projectId, createdAt } = items[0]?.json as Record<string, string>;
		const line = `Queued video "${queueId}" of project "${projectId}" at "${createdAt}" in execution`;
		expect(info.mock.calls.map(String)).toContainEqual(expect.stringContaining(line));
		info.mockRestore();
	});

	test('is of the project that the service names, which may have another ID for it', async () => {
		const accepted = { queueId: 'q-1', projectId: 'canonical' };
		const body = { status: 'success', newQueueItem: accepted };
		failAdd({ kind: 'status', status: 200, body, nth: 1 });
		failAdd({ kind: 'status', status: 400, nth: 2 });
		const { run: failed } = await run(ADD, TWO);
		expect((await run(ADD, TWO, { failed })).items[0]?.json).toMatchObject(accepted);
		failAdd({ kind: 'status', status: 200, body });
		expect((await run(ADD, ONE)).items[0]?.json).toMatchObject(accepted);
	});

	test('does not fail because n8n cannot log it', async () => {
		const log = jest.spyOn(Container.get(Logger), 'info').mockImplementation(() => {
			throw new Error('ENOSPC: no space left on device');
		});
		const { items } = await run();
		log.mockRestore();
		expect(items.map(({ json }) => json.queueId)).toEqual(listPaidIds());
	});
});

test('With the node set to stop, the error of a video that may have been queued says how to get the others', async () => {
	failAdd({ kind: 'status', status: 500, nth: 2 });
	const { error } = await run(GENERATE, TWO);
	expect(error?.message).toMatch(/failed to process the request/);
	expect(error?.description).toMatch(/'On Error'.*'Continue', and select 'Retry with currently/);
	expect(error?.context.acceptedQueueIds).toEqual(listPaidIds());
});

describe('Executions > Retry', () => {
	test('sends what was refused, and no add again that was accepted', async () => {
		failAdd({ kind: 'status', status: 400, nth: 2 });
		const { run: failed } = await run();
		const { items, error } = await run(ADD, THREE, { failed });
		expect(error).toBeUndefined();
		expect(listSent()).toEqual(['one', 'two', 'two', 'three']);
		expect(items.map(({ json }) => json.queueId)).toEqual(listPaidIds());
		expect(items[0]?.json).toMatchObject({
			projectId: PROJECT,
			status: 'pending',
			generationProgress: 0,
			videoUrl: null,
			createdAt: like(/^\d{4}-/),
		});
	});

	test('sends no accepted add again after the node was set to other operations', async () => {
		failAdd({ kind: 'status', status: 400, nth: 2 });
		const { run: failed } = await run(ADD, TWO);
		const cleared = await run(OPERATIONS['queue.clear'], TWO, { failed });
		expect(cleared.error).toBeDefined();
		const { items } = await run(GENERATE, TWO, { failed: cleared.run });
		expect(listSent()).toEqual(['one', 'two', 'two']);
		expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
	});

	test('looks at no video again that could not be told from others', async () => {
		failAdd({ kind: 'status', status: 400, nth: 3 });
		const parameters = { ...GENERATE, waitOptions: { videosAtOnce: 2 } };
		const { run: failed } = await run(parameters);
		const [first, second] = listPaidIds();
		service.sandbox.clearRequests();
		const { items } = await run(parameters, THREE, { failed });
		expect(items.map(({ json }) => json.video === null)).toEqual([true, true, false]);
		const addresses = service.sandbox.requests.map(({ url }) => url).join();
		expect(addresses).not.toContain(first);
		expect(addresses).not.toContain(second);
	});

	test('tells what became of an add, also if its parameters are wrong by now', async () => {
		failAdd({ kind: 'reset', phase: 'after', nth: 2 });
		const { run: failed } = await run(GENERATE);
		const changed = { options: { uniqueKey: "={{ $('Removed').item.json.id }}" } };
		const parameters = { ...GENERATE, ...changed };
		const settings: Partial<INode> = { onError: 'continueRegularOutput' };
		const retried = await run(parameters, THREE, { failed, settings });
		expect(retried.items.map(({ json }) => json)).toMatchObject([
			{ queueId: listPaidIds()[0], status: 'completed' },
			{ message: like(/may have been queued/), details: { mayBeQueued: true } },
			{ details: { mayBeQueued: false } },
		]);
		const stopped = await run({ ...ADD, ...changed }, THREE, { failed });
		expect(stopped.error?.description).toContain('may have been queued');
		expect(listSent()).toEqual(['one', 'two']);
	});

	test('that fails at one item names the others that may have been queued', async () => {
		failAdd({ kind: 'reset', phase: 'after', nth: 2 });
		const { run: failed } = await run(GENERATE);
		const changed = { ...GENERATE, waitOptions: { pollingInterval: 0 } };
		const { error } = await run(changed, THREE, { failed });
		expect(error?.message).toContain("'Polling Interval' must be");
		const acceptedQueueIds = listPaidIds().slice(0, 1);
		expect(error?.context).toMatchObject({ itemIndex: 0, mayBeQueued: true, acceptedQueueIds });
		expect(error?.description).toMatch(/Other items that may have been queued.*: 2\.$/);
	});

	test('after a failed download only downloads, from the address that the list shows now', async () => {
		const { sandbox } = service;
		sandbox.configure({ signedUrls: true });
		sandbox.addFault({ kind: 'status', status: 403, operation: 'video.file', nth: 1 });
		const downloading = { ...GENERATE, downloadVideo: true };
		const failed = await run(downloading, ONE);
		expect(failed.error?.message).toContain('does not allow the download (403)');
		expect(failed.error?.description).toMatch(/^The video is finished and paid for\. .*retry/);
		const expired = sandbox.requests.at(-1)?.url;
		sandbox.clearRequests();
		const { items } = await run(downloading, ONE, { failed: failed.run });
		expect(items[0]?.binary?.data?.mimeType).toBe('video/mp4');
		expect(items[0]?.json).toMatchObject({ queueId: listPaidIds()[0], status: 'completed' });
		const [, file] = sandbox.requests;
		expect(service.listSent()).toEqual(['video.getAll', 'video.file']);
		expect(file?.url).not.toBe(expired);
		expect(items[0]?.json.videoUrl).toBe(`${sandbox.url}${file?.url}`);
	});

	test('after a failed download asks a service that tells the address for the present one', async () => {
		const { sandbox } = service;
		sandbox.configure({ signedUrls: true, videoUrlInDetails: true });
		sandbox.addFault({ kind: 'status', status: 403, operation: 'video.file', nth: 1 });
		const downloading = { ...GENERATE, downloadVideo: true };
		const failed = await run(downloading, ONE);
		const expired = sandbox.requests.at(-1)?.url;
		sandbox.clearRequests();
		const { items } = await run(downloading, ONE, { failed: failed.run });
		expect(service.listSent()).toEqual(['queue.getProgress', 'video.file']);
		expect(sandbox.requests.at(-1)?.url).not.toBe(expired);
		expect(items[0]?.json.videoUrl).toBe(`${sandbox.url}${sandbox.requests.at(-1)?.url}`);
	});

	test.each([
		['its own video', 'product-teaser', undefined],
		['no video, since it has failed', 'broken-storyboard', 'The video could not be generated'],
	])(
		'gives an item that was seen at its end, and has left the queue since, %s',
		async (_what, project, message) => {
			const projectId = byId(`project-${project}`);
			const parameters = { ...GENERATE, projectId, downloadVideo: true };
			const fault = { kind: 'status', status: 503, operation: 'video.getAll' } as const;
			const id = service.sandbox.addFault(fault);
			const failed = await run(parameters, ONE);
			expect(failed.error).toBeDefined();
			service.sandbox.removeFault(id);
			service.sandbox.addFault({ kind: 'status', status: 404, operation: 'queue.getProgress' });
			const { error, items } = await run(parameters, ONE, { failed: failed.run });
			expect(error?.message).toBe(message);
			if (message === undefined) expect(items[0]?.binary?.data?.mimeType).toBe('video/mp4');
		},
	);
});
