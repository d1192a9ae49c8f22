import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { byId, GENERATE, OPERATIONS } from '../support/engine/OPERATIONS';
import type { NodeResult } from '../support/engine/runNode';
import { runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const ADD = { ...OPERATIONS['queue.add'], customPrompt: '={{ $json.prompt }}' };
const THREE: IDataObject[] = ['one', 'two', 'three'].map((prompt) => ({ prompt }));

/** Runs the node; with a failed result, presses Executions > Retry instead. */
const run = async (
	parameters: INodeParameters = ADD,
	items: IDataObject[] = THREE,
	{ failed, ...settings }: Partial<INode> & { failed?: NodeResult } = {},
) =>
	await runWithoutWaiting(
		async () =>
			await runNode({
				...service.setup(parameters),
				...{ items, settings },
				...(failed && { failed: failed.run }),
			}),
		service.sandbox,
	);

const failAdd = (fault: FaultSpec) =>
	service.sandbox.addFault({ ...fault, operation: 'queue.add' });

const listSent = () =>
	service.sandbox.requests
		.filter(({ operation }) => operation === 'queue.add')
		.map(({ body }) => (body as { customPrompt?: string }).customPrompt);

const listPaidIds = () => service.sandbox.charges.map(({ queueId }) => queueId);

describe('Executions > Retry', () => {
	test('sends no accepted add again after the node was set to other operations', async () => {
		failAdd({ kind: 'status', status: 400, nth: 2 });
		const failed = await run(ADD, THREE.slice(0, 2));
		const clear = { resource: 'queue', operation: 'clear', queueId: 'none' };
		const cleared = await run(clear, THREE.slice(0, 2), { failed });
		expect(cleared.error).toBeDefined();
		const { items } = await run(GENERATE, THREE.slice(0, 2), { failed: cleared });
		expect(listSent()).toEqual(['one', 'two', 'two']);
		expect(items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
	});

	test('looks at no video again that could not be told from others', async () => {
		failAdd({ kind: 'status', status: 400, nth: 3 });
		const parameters = { ...GENERATE, waitOptions: { videosAtOnce: 2 } };
		const failed = await run(parameters);
		const [first, second] = listPaidIds();
		service.sandbox.clearRequests();
		const { items } = await run(parameters, THREE, { failed });
		expect(items.map(({ json }) => json.video === null)).toEqual([true, true, false]);
		const addresses = service.sandbox.requests.map(({ url }) => url).join();
		expect(addresses).not.toContain(first);
		expect(addresses).not.toContain(second);
	});

	test('sends what was refused, and no add again that was accepted', async () => {
		failAdd({ kind: 'status', status: 400, nth: 2 });
		const failed = await run();
		expect(failed.error?.httpCode).toBe('400');
		const { items, error } = await run(ADD, THREE, { failed });
		expect(error).toBeUndefined();
		expect(listSent()).toEqual(['one', 'two', 'two', 'three']);
		expect(items.map(({ json }) => json.queueId)).toEqual(listPaidIds());
		expect(items[0]?.json).toMatchObject({
			projectId: ADD.projectId.value,
			status: 'pending',
			generationProgress: 0,
			videoUrl: null,
			createdAt: expect.stringMatching(/^\d{4}-/) as string,
		});
	});

	test.each([
		['an empty Unique Key', { options: { uniqueKey: '={{ $json.id }}' } }],
		['a failing Unique Key', { options: { uniqueKey: "={{ $('Removed').item.json.id }}" } }],
		['an empty prompt', { overwriteSettings: true, customPrompt: '' }],
	])('with %s by now tells what became of an add all the same', async (_, changed) => {
		failAdd({ kind: 'reset', phase: 'after', nth: 2 });
		const failed = await run(GENERATE);
		const onError = 'continueRegularOutput';
		const retried = await run({ ...GENERATE, ...changed }, THREE, { failed, onError });
		const [finished, unknown, unsent] = retried.items.map(({ json }) => json);
		expect(finished).toMatchObject({ queueId: listPaidIds()[0], status: 'completed' });
		expect(unknown).toMatchObject({
			message: expect.stringContaining('may have been queued') as string,
			details: { mayBeQueued: true },
		});
		expect(unsent).toMatchObject({ details: { mayBeQueued: false } });
		expect(listSent()).toEqual(['one', 'two']);

		const stopped = await run({ ...ADD, ...changed }, THREE, { failed });
		expect(stopped.error?.description).toContain('may have been queued');
	});

	test('that fails at one item names the others that may have been queued', async () => {
		failAdd({ kind: 'reset', phase: 'after', nth: 2 });
		const failed = await run(GENERATE);
		const changed = { ...GENERATE, waitOptions: { pollingInterval: 0 } };
		const { error } = await run(changed, THREE, { failed });
		expect(error?.message).toBe("'Polling Interval' must be 1 second or more");
		expect(error?.context).toMatchObject({
			...{ itemIndex: 0, mayBeQueued: true, acceptedQueueIds: listPaidIds().slice(0, 1) },
		});
		expect(error?.description).toMatch(/Other items that may have been queued.*: item 1\.$/);
	});

	test('after a failed download only downloads', async () => {
		service.sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file', nth: 1 });
		const downloading = { ...GENERATE, downloadVideo: true };
		const failed = await run(downloading, THREE.slice(0, 1));
		expect(failed.error?.message).toContain('There is no video at this address');
		expect(failed.error?.description).toContain("The link in 'videoUrl' may have expired");
		service.sandbox.clearRequests();
		const { items } = await run(downloading, THREE.slice(0, 1), { failed });
		expect(items[0]?.binary?.data?.mimeType).toBe('video/mp4');
		expect(items[0]?.json).toMatchObject({ queueId: listPaidIds()[0], status: 'completed' });
		expect(service.sandbox.requests.map(({ operation }) => operation)).toEqual([
			'video.getAll',
			'video.file',
		]);
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
			const failed = await run(parameters, THREE.slice(0, 1));
			expect(failed.error).toBeDefined();
			service.sandbox.removeFault(id);
			service.sandbox.addFault({ kind: 'status', status: 404, operation: 'queue.getProgress' });
			const { error, items } = await run(parameters, THREE.slice(0, 1), { failed });
			expect(error?.message).toBe(message);
			if (message === undefined) expect(items[0]?.binary?.data?.mimeType).toBe('video/mp4');
		},
	);
});
