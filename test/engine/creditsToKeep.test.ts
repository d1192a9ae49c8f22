import type { IDataObject, INode, INodeParameters } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { GENERATE, OPERATIONS } from '../support/engine/OPERATIONS';
import { planVideos } from '../support/engine/planVideos';
import { playTogether } from '../support/engine/playTogether';
import { ERROR_OUTPUT } from '../support/engine/runNode';
import { useSandbox } from '../support/engine/useSandbox';
import { like } from '../support/like';

const service = useSandbox();

const makeItems = (count: number) => Array.from({ length: count }, () => ({}));

async function add(
	options: IDataObject,
	items: IDataObject[] = [{}],
	settings: Partial<INode> = {},
) {
	const parameters = { ...OPERATIONS['queue.add'], options } as INodeParameters;
	return await service.run(parameters, { items, settings });
}

describe('Credits to Keep', () => {
	beforeEach(() => {
		service.sandbox.setCredits('main', 10);
	});

	test('ends a run that is set to stop with the first add that would leave fewer', async () => {
		const { items, error } = await add({ creditsToKeep: 8 }, makeItems(4));
		expect(items).toEqual([]);
		expect(error?.message).toBe('There are not enough credits to queue this video');
		expect(error?.description).toContain(
			"The credits of the account are 8. The video would cost 1, and 'Credits to Keep' is 8.",
		);
		expect(error?.context.acceptedQueueIds).toHaveLength(2);
		expect(service.listSent()).toEqual(['account.get', 'queue.add', 'queue.add']);
	});

	test('queues exactly those that fit with an error output, and says why of the others', async () => {
		const { items, errorItems } = await add({ creditsToKeep: 3 }, makeItems(12), ERROR_OUTPUT);
		expect(items).toHaveLength(7);
		expect(errorItems).toHaveLength(5);
		expect(errorItems[0]?.json).toMatchObject({
			error: 'There are not enough credits to queue this video',
			details: { remainingCredits: 3, mayBeQueued: false },
			message: like(/'Credits to Keep' is 3\. Nothing was queued/),
		});
		const adds = Array<string>(7).fill('queue.add');
		expect(service.listSent()).toEqual(['account.get', ...adds]);
	});

	test.each<[string, IDataObject, number, number]>([
		['what a video costs', { creditsToKeep: '1', creditsPerVideo: '2' }, 6, 4],
		['fractions of a credit', { creditsToKeep: 3, creditsPerVideo: 0.7 }, 10, 10],
	])('counts %s', async (_what, options, count, added) => {
		const { items } = await add(options, makeItems(count), ERROR_OUTPUT);
		expect(items).toHaveLength(added);
	});

	test('queues twenty videos of a tenth of a credit for two credits', async () => {
		service.sandbox.setCredits('main', 50);
		const options = { creditsToKeep: 48, creditsPerVideo: 0.1 };
		const { items } = await add(options, makeItems(21), ERROR_OUTPUT);
		expect(items).toHaveLength(20);
	});

	test.each<[string, FaultSpec, RegExp]>([
		['cannot be read', { kind: 'status', status: 500 }, /failed to process the request|500/],
		[
			'does not tell its credits',
			{ kind: 'missingField', field: 'usage.remainingCredits' },
			/has no 'usage.remainingCredits'/,
		],
	])('queues nothing when the account %s', async (_what, fault, message) => {
		service.sandbox.addFault({ ...fault, operation: 'account.get' });
		const options = { creditsToKeep: 0, maxTries: 1 };
		const { errorItems } = await add(options, makeItems(2), ERROR_OUTPUT);
		expect(errorItems).toHaveLength(2);
		expect(errorItems[0]?.json).toMatchObject({
			error: "The account's credits could not be read, so nothing was queued",
			message: like(message),
			details: { mayBeQueued: false },
		});
		expect(service.sandbox.charges).toEqual([]);
	});

	test('counts no video that the service has refused', async () => {
		service.sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth: 1 });
		const { items } = await add({ creditsToKeep: 8 }, makeItems(4), ERROR_OUTPUT);
		expect(items).toHaveLength(2);
	});

	test('is counted for each account alone', async () => {
		const { url: baseUrl, accounts } = service.sandbox;
		service.sandbox.setCredits('other', 1);
		const ours = { key: accounts.main.apiKey };
		const theirs = { key: accounts.other.apiKey, project: 'project-garden-story' };
		const parameters = { ...GENERATE, options: { creditsToKeep: 0 } };
		const { errorItems } = await service.run(parameters, {
			items: [theirs, ours, theirs],
			settings: ERROR_OUTPUT,
			credentials: { baseUrl, apiKey: '={{ $json.key }}' },
		});
		expect(errorItems.map(({ pairedItem }) => pairedItem)).toEqual([{ item: 2 }]);
	});

	test.each([12_000, 30_000])(
		'holds for two batches that take turns, of which the second begins %d ms after the first',
		async (afterMs) => {
			planVideos(service.sandbox, ...Array.from({ length: 10 }, () => ({ processingMs: 20_000 })));
			const parameters = { ...GENERATE, options: { creditsToKeep: 5 } };
			const setup = { items: makeItems(5), settings: ERROR_OUTPUT };
			const begin = async () => await service.run(parameters, setup);
			const endings = await playTogether(service.sandbox, [
				{ start: begin },
				{ start: begin, afterMs },
			]);
			expect(service.sandbox.charges).toHaveLength(5);
			expect(endings.flatMap(({ result }) => result.errorItems)).toHaveLength(5);
		},
	);

	test('counts what other nodes spend while videos are made', async () => {
		planVideos(service.sandbox, ...Array.from({ length: 10 }, () => ({ processingMs: 20_000 })));
		const setup = { items: makeItems(5), settings: ERROR_OUTPUT };
		const begin = (customPrompt: string, options: INodeParameters) => async () =>
			await service.run({ ...GENERATE, customPrompt, options }, setup);
		await playTogether(service.sandbox, [
			{ start: begin('guarded', { creditsToKeep: 5 }) },
			{ start: begin('unguarded', {}), afterMs: 30_000 },
		]);
		const paid = service.listPaid();
		expect(paid.length).toBeGreaterThan(5);
		// Each video costs one of ten credits, and five are kept.
		expect(paid.slice(5)).not.toContain('guarded');
	});

	test('counts what others spend while an add waits as long as the service asks', async () => {
		service.sandbox.setCredits('main', 2);
		service.sandbox.addFault({
			...{ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 60, operation: 'queue.add' },
			...{ containing: 'guarded', times: 1 },
		});
		const begin = (customPrompt: string, options: INodeParameters) => async () =>
			await service.run(
				{ ...OPERATIONS['queue.add'], customPrompt, options },
				{ settings: ERROR_OUTPUT },
			);
		const [guarded] = await playTogether(service.sandbox, [
			{ start: begin('guarded', { creditsToKeep: 1 }) },
			{ start: begin('other', {}), afterMs: 30_000 },
		]);
		expect(service.listPaid()).toEqual(['other']);
		expect(guarded?.result.errorItems[0]?.json).toMatchObject({
			error: 'There are not enough credits to queue this video',
			details: { remainingCredits: 1, mayBeQueued: false, tries: 0 },
		});
	});
});
