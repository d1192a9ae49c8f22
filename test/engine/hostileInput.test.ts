/*
 * Hostile input: what the service, a stranger with an account of his own, or a value that they choose can do to
 * others. What holds by construction (a path, a file's name, a header) stands in the unit tests.
 */

import type { IDataObject } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { OPERATIONS, GENERATE, byId, PROJECT } from '../support/engine/OPERATIONS';
import { getOwnVideoId } from '../support/engine/planVideos';
import { playTogether } from '../support/engine/playTogether';
import { ERROR_OUTPUT, startNode } from '../support/engine/runNode';
import { useSandbox } from '../support/engine/useSandbox';
import { searchList } from '../support/n8nServer/createLoadOptionsContext';

const service = useSandbox();

describe('Another account of the same service', () => {
	const WAIT = {
		resource: 'queue',
		operation: 'wait',
		queueId: '={{ $json.queueId }}',
		downloadVideo: false,
	};

	test.each([
		['a project that is another one', { projectId: byId(PROJECT) }],
		['no project', {}],
	])(
		'whose video is not listed, because it waits with a wrong word and with %s, takes no video from ours',
		async (_name, more) => {
			const { sandbox } = service;
			const credentials = { baseUrl: sandbox.url, apiKey: sandbox.accounts.empty.apiKey };
			sandbox.setCredits('empty', 1);
			sandbox.addProjects('empty', [{ id: 'their-project' }]);
			sandbox.configure({ durations: { pendingMs: 8_000, processingMs: 4_000, renderingMs: 0 } });
			const add = { ...OPERATIONS['queue.add'], projectId: byId('their-project') };
			const { items: theirs } = await service.run(add, { credentials });
			const [queueId] = [theirs[0]?.json.queueId as string];
			sandbox.changeQueueItem(queueId, { durations: { processingMs: 3_600_000 } });
			const waitOptions = { completedStatuses: 'processing' };
			const wait = { ...WAIT, ...more, waitOptions };
			const start = async (parameters: typeof wait | typeof GENERATE, their: object = {}) => {
				const { result } = await startNode({ ...service.setup(parameters), ...their });
				return await result;
			};
			const [, ours] = await playTogether(sandbox, [
				{ start: async () => await start(wait, { credentials, items: [{ queueId }] }) },
				{ afterMs: 25_000, start: async () => await start(GENERATE) },
			]);
			const [{ json } = { json: {} as IDataObject }] = ours?.result.items ?? [];
			expect((json.video as IDataObject | null)?.id).toBe(getOwnVideoId(sandbox, json));
		},
	);

	test('that waits without a project takes no video from ours, though finished items leave the queue', async () => {
		const { sandbox } = service;
		const credentials = { baseUrl: sandbox.url, apiKey: sandbox.accounts.empty.apiKey };
		sandbox.setCredits('empty', 1);
		sandbox.addProjects('empty', [{ id: 'their-project' }]);
		const add = { ...OPERATIONS['queue.add'], projectId: byId('their-project') };
		const { items: theirs } = await service.run(add, { credentials });
		const queueId = theirs[0]?.json.queueId as string;
		sandbox.changeQueueItem(queueId, { durations: { processingMs: 300_000 } });
		sandbox.configure({
			durations: { pendingMs: 0, processingMs: 9_000, renderingMs: 0 },
			endedItemsLeaveAfterMs: 0,
		});
		const start = async (parameters: typeof WAIT | typeof GENERATE, their: object = {}) => {
			const { result } = await startNode({ ...service.setup(parameters), ...their });
			return await result;
		};
		const [, ours] = await playTogether(sandbox, [
			{ start: async () => await start(WAIT, { credentials, items: [{ queueId }] }) },
			{ afterMs: 10_000, start: async () => await start(GENERATE) },
		]);
		const [{ json } = { json: {} as IDataObject }] = ours?.result.items ?? [];
		expect((json.video as IDataObject | null)?.id).toBe(getOwnVideoId(sandbox, json));
	});
});

describe('A list of the editor offers no ID that n8n would save as an expression, nor markup', () => {
	const HIDDEN = [
		'={{ $("Secret").first().json.token }}',
		'=1',
		'a {{ $json.secret }}',
		'<img src="https://evil.example">',
	];
	const search = async (name: string) =>
		await searchList(service.setup({}).credentials, name, undefined);

	test('of a project, and shows its name as text', async () => {
		const { sandbox } = service;
		sandbox.addProjects('main', [
			...HIDDEN.map((id) => ({ id, name: 'Evil' })),
			{ id: 'e', name: '={{ $("Nowhere").first().json.x }}' },
			{ id: 'm', name: 'A <a href="https://evil.example">B</a>\n<img' },
			{ id: 'nothing', name: '<br>' },
			{ id: 'long', name: 'x'.repeat(1_000_000) },
		]);
		const results = await search('searchProjects');
		const added = results.filter(({ value }) => !String(value).startsWith('project-'));
		expect(added).toEqual([
			{ value: 'e', name: ' ={{ $("Nowhere").first().json.x }}' },
			{ value: 'long', name: `${'x'.repeat(299)}…` },
			{ value: 'm', name: 'A B < img' },
			{ value: 'nothing', name: 'nothing' },
		]);
	});

	test('of a video, and shows its project as text', async () => {
		const createdAt = '2026-01-15T12:00:00Z';
		service.sandbox.addVideos('main', [
			...HIDDEN.map((id) => ({ id, projectId: PROJECT })),
			{ id: 'plain', projectId: '<b>p</b>', createdAt },
		]);
		expect(await search('searchVideos')).toEqual([
			{ value: 'plain', name: '2026-01-15 07:00:00, p' },
		]);
	});
});

const WAIT_FOR = { resource: 'queue', operation: 'wait', downloadVideo: false };

describe("Links and pictures of a service's texts, which n8n's editor would show, are not", () => {
	const EVIL =
		'<a href="https://evil.example">Log in again</a><img src="https://evil.example/x.png">';
	const TAG = /<[a-z/!?]/i;

	test('in the error of a wait, nor any text of a megabyte', async () => {
		const { sandbox } = service;
		const waitOptions = { timeout: 20 };
		for (const status of [EVIL, '<a href="https://evil.example', 'x'.repeat(1_000_000)]) {
			sandbox.clearFaults();
			sandbox.addFault({ kind: 'statusWord', word: status, operation: 'queue.getProgress' });
			const { error } = await service.run({ ...GENERATE, waitOptions });
			expect(`${error?.message} ${error?.description}`).not.toMatch(TAG);
			expect(error?.description?.length).toBeLessThan(1_500);
		}
	});

	test('in the error of an add whose response names a queue item', async () => {
		const body = JSON.stringify({
			status: 'error',
			queueId: '<a href=https://evil.example>Log in</a>',
		});
		service.sandbox.addFault({ kind: 'status', status: 500, body, operation: 'queue.add' });
		const { error } = await service.run(OPERATIONS['queue.add']);
		expect(error?.description).toContain('may have been queued');
		expect(error?.description).not.toMatch(TAG);
	});

	test('in the hints of a run', async () => {
		const { sandbox } = service;
		const [queueId = ''] = await service.queueVideos(1);
		const fields = { projectId: EVIL };
		sandbox.addFault({ kind: 'extraFields', fields, operation: 'queue.getProgress' });
		sandbox.addFault({ kind: 'extraFields', fields, operation: 'video.getAll' });
		sandbox.addVideos('main', [{ projectId: EVIL }, { projectId: EVIL }]);
		const wait = { ...WAIT_FOR, queueId, queuedAt: '2020-01-01T00:00:00Z' };
		const { run } = await service.run(wait);
		const [{ hints = [] } = {}] = run.data.resultData.runData['Video Generation'] ?? [];
		expect(hints.map(({ message }) => message).join()).toMatch(/told apart.*among/);
		expect(hints.map(({ message }) => message).join()).not.toMatch(TAG);
	});
});

describe('A response of more than 64 MB is not parsed, and the error says so,', () => {
	const tooLong = (operation: FaultSpec['operation']) =>
		service.sandbox.addFault({ kind: 'longBody', bytes: 64_000_001, operation, times: 1 });

	test.each(['account.get', 'queue.getProgress'] as const)('of %s, once', async (operation) => {
		tooLong(operation);
		const items = await service.createInput(operation);
		const { error } = await service.run(OPERATIONS[operation], { items });
		expect(error?.message).toBe('The response from the video service is too long');
		expect(error?.description).toMatch(/64 MB/);
		expect(service.listSent()).toEqual([operation]);
	});

	test('of an add, which may have been queued, with the ID that it names', async () => {
		tooLong('queue.add');
		const { errorItems } = await service.run(OPERATIONS['queue.add'], { settings: ERROR_OUTPUT });
		const [queueId = ''] = service.listPaidIds();
		const details = { mayBeQueued: true, receivedQueueId: queueId };
		expect(errorItems).toMatchObject([{ json: { details } }]);
	});

	test('but the list of videos is read', async () => {
		const { id } = service.addVideo();
		tooLong('video.getAll');
		const { items } = await service.run(OPERATIONS['video.getAll']);
		expect(items).toMatchObject([{ json: { id } }]);
	});
});
