import { ActiveExample } from '../support/e2e/ActiveExample';

const VARIANTS = {
	plain: {},
	durable: {
		N8N_SCHEDULER_ENABLED: 'true',
		N8N_SCHEDULER_POLL_TRIGGERS_ENABLED: 'true',
		N8N_USE_WORKFLOW_PUBLICATION_SERVICE: 'true',
		N8N_POLLER_DURABLE_CURSORS_ENABLED: 'true',
	},
};

describe('In a real n8n, with durable cursors and without, the trigger', () => {
	const examples: [string, ActiveExample][] = [];
	const pollsOfDeactivated = new Map<ActiveExample, number>();

	beforeAll(async () => {
		await Promise.all(
			Object.entries(VARIANTS).map(async ([name, environment]) => {
				examples.push([name, await ActiveExample.start(name, environment)]);
			}),
		);
	});

	afterAll(async () => {
		for (const [, example] of examples) await example.end();
	});

	/** Runs both examples at the same time, because n8n polls at most once a minute. */
	const inBoth = async (work: (example: ActiveExample) => Promise<void>) => {
		const outcomes = examples.map(async ([name, example]) => {
			await work(example).catch((cause: unknown) => {
				throw new Error(`With the cursors ${name}: ${String(cause)}`, { cause });
			});
		});
		await Promise.all(outcomes);
	};

	test('starts one execution with both of two videos that are finished after the activation', async () => {
		await inBoth(async (example) => {
			const { sandbox } = example;
			sandbox.addVideos('main', [{ id: 'b', createdAt: '2099-01-01T00:00:01Z' }]);
			sandbox.addVideos('main', [{ id: 'a', createdAt: '2099-01-01T00:00:00Z' }]);
			sandbox.addVideos('other', [{ id: 'unseen' }]);
			await example.waitForExecutions(1);
			expect(await example.listHandedOn()).toEqual([['a', 'b']]);
			pollsOfDeactivated.set(example, example.countPolls('other'));
		});
	});

	test('has its videos downloaded and handed on by the example', async () => {
		await inBoth(async (example) => {
			const { status, items } = await example.readFirst();
			expect(status).toBe('success');
			expect(items.map(({ binary }) => binary?.data)).toEqual([
				expect.objectContaining({ mimeType: 'video/mp4', fileName: 'a.mp4' }),
				expect.objectContaining({ mimeType: 'video/mp4', fileName: 'b.mp4' }),
			]);
		});
	});

	test('hands on, once, a video whose poll was killed before it was over, and no earlier one again', async () => {
		await inBoth(async (example) => {
			const { n8n, sandbox } = example;
			sandbox.configure({ latencyMs: 3_000 });
			sandbox.addVideos('main', [{ id: 'c' }]);
			const killed = new Promise<void>((resolve) => {
				const stopListening = sandbox.onRequest(({ operation }) => {
					if (operation !== 'video.getAll') return;
					stopListening();
					n8n.kill();
					resolve();
				});
			});
			await killed;
			await n8n.waitForEnd();
			sandbox.configure({ latencyMs: 0 });
			const restartedAt = Date.now();
			await n8n.start();
			await example.waitForExecutions(2);
			await example.waitForNextPoll();
			const [first = 0, second = 0] = example.listPollTimes().filter((at) => at > restartedAt);
			const handedOn = await example.listHandedOn();
			// After a start of over a minute, n8n runs the poll that it missed beside the next one.
			const areBesideEachOther = second - first < 10_000;
			expect(areBesideEachOther ? handedOn.slice(0, 2) : handedOn).toEqual([['a', 'b'], ['c']]);
		});
	});

	test('of a workflow that was deactivated has polled no more, nor after the restart', async () => {
		await inBoth(async (example) => {
			expect(example.countPolls('other')).toBe(pollsOfDeactivated.get(example));
			expect(await example.countExecutionsOfDeactivated()).toBe(0);
		});
	});
});
