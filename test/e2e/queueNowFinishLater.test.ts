import type { RecordedRequest } from '../../sandbox/control/requestLog';
import type { Execution } from '../../scripts/n8n/n8nTypes';
import { waitFor } from '../../scripts/waitFor';
import { DataTable } from '../support/e2e/DataTable';
import { describeWith } from '../support/e2e/describeWith';
import { PACKAGE } from '../support/e2e/PLACES';
import { readItems } from '../support/e2e/runContent';
import { setUpExample } from '../support/e2e/setUpExample';
import { useQueueMode } from '../support/e2e/useQueueMode';

const ROWS = 200;
/** Number of projects with two rows each, which are the first rows. */
const PAIRS = 5;
const CREDITS = 1_000;
/** Timeout of an execution; the example has 300 seconds. */
const EXECUTION_SECONDS = 10;
const RUN_SECONDS = 5;
const TIMEOUT_MS = 600_000;
/**
 * Maximum number of rows that stay unfinished: two executions that queue overlap, and workers are
 * killed twice.
 */
const MAX_LEFT = 4;

const SHORT = { pendingMs: 500, processingMs: 1_000, renderingMs: 500 };
/** Durations longer than the test: such a video is finished by hand. */
const ENDLESS = { pendingMs: 500, processingMs: 3_600_000 };
/** Rows whose add is in flight when its execution is cut off, and when all workers are killed. */
const [CUT_OFF, KILLED] = ['row 60', 'row 120'];

interface AddBody {
	customPrompt?: string;
}

describeWith(['redis-server', 'postgres'], 'The example that queues now and finishes later', () => {
	const queueMode = useQueueMode(
		{ name: 'queue-now-finish-later', concurrency: 10, credits: CREDITS },
		({ id, name }) => {
			const credentials = { videoGenerationApi: { id, name } };
			const types = ['videoGeneration', 'videoGenerationTrigger'];
			const example = setUpExample('queue-now-finish-later', {
				choices: Object.fromEntries(types.map((type) => [`${PACKAGE}.${type}`, { credentials }])),
				changes: {
					// The runs overlap, so that two of them compete for the same rows.
					'Every five minutes': everySeconds(3),
					'Every 15 minutes': everySeconds(10),
					'Set when this run ends': {
						assignments: {
							assignments: [
								{
									...{ id: 'until', name: 'until', type: 'string' },
									value: `={{ $now.plus({ seconds: ${RUN_SECONDS} }).toISO() }}`,
								},
							],
						},
					},
				},
			});
			const settings = { ...example.settings, executionTimeout: EXECUTION_SECONDS };
			return Promise.resolve([{ ...example, name: 'example', settings }]);
		},
	);
	const { n8n } = queueMode;

	/** Kills both workers when a wanted request arrives, and restarts them. */
	const killWorkersAt = async (isWanted: (request: RecordedRequest) => boolean) => {
		await new Promise<void>((resolve) => {
			const stopListening = queueMode.sandbox.onRequest((request) => {
				if (!isWanted(request)) return;
				stopListening();
				for (const worker of n8n.workers) worker.kill();
				resolve();
			});
		});
		for (const worker of n8n.workers) {
			await worker.waitForEnd();
			await worker.start();
		}
	};

	test(`finishes each of ${ROWS} rows once, though executions are cut off and workers are killed`, async () => {
		const { sandbox } = queueMode;
		const { client } = n8n.main;
		const workflowId = queueMode.getWorkflowId('example');
		await client.runWorkflow(workflowId, 'Press once to make the table');
		const table = await waitFor('the table', async () => {
			return await DataTable.find(client, 'Videos to make').catch(() => undefined);
		});
		for (const containing of [CUT_OFF, KILLED]) {
			const delayMs = ENDLESS.processingMs;
			sandbox.addFault({
				...{ kind: 'latency', phase: 'after', operation: 'queue.add' },
				...{ delayMs, containing },
			});
		}
		const projects = sandbox.addProjects(
			'main',
			Array.from({ length: ROWS - PAIRS }, (_, i) => ({ durations: i === 0 ? ENDLESS : SHORT })),
		);
		const projectIds = projects.flatMap(({ id }, i) => (i < PAIRS ? [id, id] : [id]));
		const killed = killWorkersAt(
			({ operation, body }) =>
				operation === 'queue.add' && (body as AddBody).customPrompt === KILLED,
		);
		await table.insertRows(
			client,
			projectIds.map((projectId, row) => ({ projectId, prompt: `row ${row}` })),
		);
		const findItem = (prompt: unknown) =>
			sandbox.readState().queue.find(({ customPrompt }) => customPrompt === prompt);

		const [first] = projects;
		const twins = await waitFor(
			'the rows of the first project',
			() => {
				const items = sandbox.readState().queue.filter(({ projectId }) => projectId === first?.id);
				return items.length === 2 && items;
			},
			TIMEOUT_MS,
		);

		await killed;
		// The first project's videos are not finished yet, so their progress is still checked.
		await killWorkersAt(({ operation }) => operation === 'queue.getProgress');
		// Both rows of the first project finish between two checks.
		for (const { queueId } of twins) sandbox.finish(queueId);

		// A worker may be killed after it has marked a row and before it sends the add: the row stays
		// unpaid.
		const isLeft = ({ status, prompt, queuedAt }: Record<string, unknown>) =>
			status === 'queuing' &&
			findItem(prompt) === undefined &&
			Date.now() - Date.parse(String(queuedAt)) > 2_000 * EXECUTION_SECONDS;
		const allRows = await waitFor(
			'all rows to be finished',
			async () => {
				const all = await table.listRows(client);
				return all.every((row) => Boolean(row.videoIds) || isLeft(row)) && all;
			},
			TIMEOUT_MS,
		);
		const rows = allRows.filter((row) => !isLeft(row));

		// Each row was queued and paid once, and has its own video, or several that include it.
		expect(allRows).toHaveLength(ROWS);
		expect(allRows.length - rows.length).toBeLessThanOrEqual(MAX_LEFT);
		const { queue, accounts } = sandbox.readState();
		expect(queue.map(({ customPrompt }) => customPrompt).sort()).toEqual(
			rows.map(({ prompt }) => prompt).sort(),
		);
		expect(accounts.find(({ id }) => id === 'main')?.credits).toBe(CREDITS - rows.length);
		for (const { prompt, status, videoIds } of rows) {
			const videoId = findItem(prompt)?.videoId ?? '';
			const ids = String(videoIds).split(' ');
			expect([prompt, status, ids]).toEqual(
				status === 'finished'
					? [prompt, 'finished', [videoId]]
					: [prompt, 'ambiguous', expect.arrayContaining([videoId]) as string[]],
			);
		}
		const ambiguous = rows.filter(({ status }) => status === 'ambiguous');
		const twinIds = twins.map(({ customPrompt }) => customPrompt);
		expect(ambiguous.map(({ prompt }) => prompt)).toEqual(expect.arrayContaining(twinIds));
		// Rows with a project of their own are never ambiguous.
		expect(ambiguous.length).toBeLessThanOrEqual(2 * PAIRS);

		// Each row was handed on at most once, and only if it was finished.
		const executions = await n8n.main.listExecutions(workflowId);
		const handedOn = executions
			.flatMap((execution) => readItems(execution, 'Pass it on'))
			.map(({ json }) => json.prompt);
		expect(new Set(handedOn).size).toBe(handedOn.length);
		const finished = rows.filter(({ status }) => status === 'finished').map(({ prompt }) => prompt);
		expect(finished).toEqual(expect.arrayContaining(handedOn));

		// The executions of the two adds were cut off or killed; n8n reports a killed execution in one
		// of two ways.
		const isKilled = ({ status, data }: Execution) =>
			status === 'crashed' ||
			Boolean(data.resultData.error?.message.includes('failed to be processed too many times'));
		expect(executions.some(isKilled)).toBe(true);
		const isCutOff = ({ status }: Execution) => status === 'canceled';
		const ended = executions.filter((execution) => isCutOff(execution) || isKilled(execution));
		expect(ended.length).toBeGreaterThanOrEqual(2);
	});
});

function everySeconds(secondsInterval: number): Record<string, unknown> {
	return { rule: { interval: [{ field: 'seconds', secondsInterval }] } };
}
