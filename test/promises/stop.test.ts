import { Container } from '@n8n/di';
import { InstanceSettings } from 'n8n-core';
import type { IDataObject, IRun, IRunExecutionData } from 'n8n-workflow';
import { readVideoFile } from '../../sandbox/files/readVideoFile';
import { byId, DOWNLOAD, GENERATE, OPERATIONS, PROJECT, WAIT } from '../support/engine/OPERATIONS';
import { ERROR_OUTPUT, type NodeSetup, startNode } from '../support/engine/runNode';
import { runTools } from '../support/engine/runTools';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { hasFeature } from '../support/engine/testWith';
import { TestCredentialsHelper } from '../support/n8nServer/TestCredentialsHelper';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useFileHost } from '../support/engine/useFileHost';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const host = useFileHost();
const store = useBinaryStore();
const ADD = OPERATIONS['queue.add'];

/** Presses Stop after this number of requests. */
async function stopAfter(requests: number, parameters: object, items: IDataObject[]) {
	const started = await startNode({ ...service.setup({ ...parameters }), items });
	await service.sandbox.waitForRequests({ count: requests });
	await new Promise((resolve) => setImmediate(resolve));
	started.stop();
	return (await started.result).run;
}

/** Stops once `open` connections have sent a part of their file. */
async function stopDuringDownloads(items: number, open: number) {
	const video = readVideoFile('product-teaser');
	const connections: Promise<void>[] = [];
	host.answer((_request, response) => {
		connections.push(
			new Promise((closed) => {
				response.once('close', closed);
			}),
		);
		response.writeHead(200, { 'content-length': video.length });
		response.write(video.subarray(0, 1000));
	});
	const urls = Array.from({ length: items }, () => ({ url: `${host.url}/v.mp4` }));
	const started = await startNode({ ...service.setup(DOWNLOAD), items: urls });
	const countOpen = () => (hasFeature('halfFiles') ? store.listFiles().length : connections.length);
	while (countOpen() < open) await new Promise((resolve) => setImmediate(resolve));
	started.stop();
	const { run } = await started.result;
	await Promise.all(connections);
	return run.status;
}

describe('Pressing stop', () => {
	test('leaves the IDs of the videos that are being made in the custom data, and in an error without a retry, which n8n does not offer then', async () => {
		const generate = { ...GENERATE, waitOptions: { pollingInterval: 1 } };
		const { data } = await stopAfter(3, generate, [{}, {}]);
		const [queueId = '?'] = service.listPaidIds();
		expect(data.resultData.metadata).toEqual({ videos_being_made: queueId });
		const [task] = data.resultData.runData['Video Generation'] ?? [];
		expect(task?.error).toMatchObject({ description: expect.stringContaining(queueId) as string });
		expect(JSON.stringify(task)).not.toMatch(/retry/i);
	});

	test('does not name a video that could not be generated, nor one that is finished', async () => {
		const { sandbox } = service;
		sandbox.addProjects('main', [{ id: 'failing', fails: true }, { id: 'quick' }, { id: 'slow' }]);
		service.planVideos(0, 0, 900);
		const parameters = { ...GENERATE, waitOptions: { listingDelay: 0 } };
		const items = ['failing', 'quick', 'slow'].map((project) => ({ project }));
		const setup = { items, settings: ERROR_OUTPUT, stopAfterMs: 60_000 };
		const { run } = await runWithoutWaiting(service.begin(parameters, setup).start, sandbox);
		const [, , slow] = sandbox.charges;
		expect(run.data.resultData.metadata).toEqual({ videos_being_made: slow?.queueId });
	});

	test.each(['tool', 'steps'] as const)(
		'names the videos of all calls of an agent: %s',
		async (way) => {
			const parameters = {
				...GENERATE,
				projectId: byId("={{ $fromAI('project', 'the project', 'string') }}"),
				customPrompt: '',
			};
			const calls = [[{ project: PROJECT }, { project: 'project-city-tour' }]];
			const metadata: unknown[] = [];
			const inspect = ({ data }: IRun) => metadata.push(data.resultData.metadata);
			const stops: (() => void)[] = [];
			const onStart = (stop: () => void) => stops.push(stop);
			const running = runTools({ ...service.setup(parameters), way, calls, inspect, onStart });
			const operation = 'queue.add';
			// The calls of an agent that n8n runs as steps come one after the other.
			const count = way === 'steps' ? 1 : 2;
			await service.sandbox.waitForRequests({ operation, count, timeoutMs: 10_000 });
			await new Promise((resolve) => setTimeout(resolve, 300));
			stops[0]?.();
			await running.catch(() => undefined);
			const ids = service.listPaidIds();
			expect(ids).toHaveLength(count);
			expect(metadata).toEqual([{ videos_being_made: ids.join(', ') }]);
		},
	);

	test.each([
		['Account > Get', OPERATIONS['account.get']],
		['Video > Download', DOWNLOAD],
	])(
		'ends the wait between two tries of %s, and nothing more is sent',
		async (_name, parameters) => {
			service.sandbox.addFault({ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 100 });
			const item = { url: `${service.sandbox.url}/files/1.mp4` };
			const { status } = await stopAfter(3, parameters, [item, item, item]);
			expect(status).toBe('canceled');
			expect(service.sandbox.requests).toHaveLength(3);
		},
	);

	test('ends an add under way, whose fate is unknown: its retry sends neither it nor any other', async () => {
		service.sandbox.addFault({ kind: 'hang', phase: 'after', nth: 2, operation: 'queue.add' });
		const items = [{}, {}, {}, {}];
		const failed = await stopAfter(2, ADD, items);
		expect(failed.status).toBe('canceled');
		const { error, run } = await service.run(ADD, { items, failed });
		expect(run.status).toBe('error');
		expect(error?.description).toContain('may have been queued');
		expect(service.sandbox.requests).toHaveLength(2);
	});

	test('while 30,000 items are prepared ends the execution, and nothing is sent', async () => {
		const parameters = {
			...ADD,
			customPrompt: '={{ $json.a + " " + $json.b }}',
			overwriteSettings: '={{ $json.a.length > 0 }}',
		};
		const items = Array.from({ length: 30_000 }, (_, i) => ({ a: `a${i}`, b: `b${i}` }));
		const { status } = await stopAfter(0, parameters, items);
		expect(status).toBe('canceled');
		expect(service.sandbox.requests).toEqual([]);
	});

	test.each([GENERATE, ADD, WAIT])(
		'while n8n reads a credential ends the execution: %j',
		async (parameters) => {
			const reading = jest.spyOn(TestCredentialsHelper.prototype, 'getDecrypted');
			reading.mockReturnValue(new Promise(() => undefined));
			const { status } = await stopAfter(0, parameters, [{ queueId: 'q1' }, { queueId: 'q2' }]);
			reading.mockRestore();
			expect(status).toBe('canceled');
		},
	);

	test('ends the wait between two batches', async () => {
		const items = (await service.queueVideos(3)).map((queueId) => ({ queueId }));
		const requestOptions = { batching: { batch: { batchSize: 1, batchInterval: 3_600_000 } } };
		await stopAfter(1, { ...OPERATIONS['queue.getProgress'], requestOptions }, items);
		expect(service.sandbox.requests).toHaveLength(1);
	});

	test('ends all downloads, closes their connections, begins no other, and leaves nothing', async () => {
		expect(await stopDuringDownloads(6, 4)).toBe('canceled');
		expect(host.requests).toHaveLength(4);
		while (store.listFiles().length > 0) await new Promise((resolve) => setImmediate(resolve));
	});

	describe('in another process, so that n8n only saves it,', () => {
		const message = 'The execution was cancelled manually';
		const canceled = { resultData: { error: { message } } } as IRunExecutionData;
		const runRows = async (readSaved: NodeSetup['readSaved'], settings = {}) =>
			await service.run(GENERATE, { items: [{}, {}, {}], settings, readSaved });

		beforeEach(() => {
			jest.replaceProperty(Container.get(InstanceSettings), 'instanceType', 'worker');
		});

		afterEach(() => jest.restoreAllMocks());

		test('is not looked for in the regular mode, which has no other process', async () => {
			jest.replaceProperty(Container.get(InstanceSettings), 'instanceType', 'main');
			const readSaved = jest.fn(async () => await Promise.resolve(canceled));
			const { items } = await runRows(readSaved);
			expect(items).toHaveLength(3);
			expect(readSaved).not.toHaveBeenCalled();
		});

		test.each([{}, ERROR_OUTPUT])(
			'ends the execution before its next add, with the settings %j',
			async (settings) => {
				const readSaved = jest.fn(async () => await Promise.resolve(canceled));
				const { items, error, errorItems } = await runRows(readSaved, settings);
				expect(service.sandbox.charges).toHaveLength(1);
				expect(readSaved.mock.calls).toEqual([[expect.any(String)]]);
				const failures = [...errorItems.map(({ json }) => json.error), error?.message];
				expect(new Set(failures.filter(Boolean))).toEqual(new Set(['The execution was canceled']));
				expect(items).toHaveLength(error ? 0 : 1);
			},
		);

		test.each<[string, NonNullable<NodeSetup['readSaved']>]>([
			['cannot be read', async () => await Promise.reject(new Error('Driver not Connected'))],
			['is gone', async () => await Promise.resolve(null as never)],
			['has no error', async () => await Promise.resolve({ resultData: { runData: {} } } as never)],
		])('ends nothing if what is saved %s, which is read every 5 s', async (_, read) => {
			const readSaved = jest.fn(read);
			service.sandbox.configure({ durations: { processingMs: 1_000 } });
			const { items } = await runRows(readSaved);
			expect(items).toHaveLength(3);
			expect(readSaved).toHaveBeenCalledTimes(2);
			await service.run(ADD, { items: [{}, {}, {}], readSaved });
			expect(readSaved).toHaveBeenCalledTimes(2);
		});
	});
});
