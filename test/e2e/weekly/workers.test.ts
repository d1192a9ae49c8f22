import type { SettingsChange } from '../../../sandbox/domain/settings';
import { waitFor } from '../../../scripts/waitFor';
import { describeWith } from '../../support/e2e/describeWith';
import type { N8nWorker } from '../../support/e2e/RealN8n';
import { useQueueMode } from '../queueMode/useQueueMode';
import { buildWorkflows } from '../queueMode/workflows';

const WORKERS = ['worker-1', 'worker-2', 'worker-3'];
const DURATIONS = { pendingMs: 200, processingMs: 4_000, renderingMs: 200 };

/** Six forms and a batch. */
const FORMS_AND_BATCH = [1, 1, 1, 6, 1, 1, 1];
const ROWS = 12;

/** Beside other checks, a machine may need minutes. */
const BUSY_MS = 180_000;

describeWith(
	['redis', 'postgresql'],
	"In n8n's queue mode, with three workers and a webhook processor",
	() => {
		const queueMode = useQueueMode(
			{
				name: 'workers',
				workers: WORKERS,
				concurrency: 5,
				credits: 1_000,
				hasWebhookProcessor: true,
			},
			buildWorkflows,
		);
		const { listGiven, n8n, startExecution, waitForExecutions } = queueMode;

		const addProjects = (count: number) =>
			queueMode.sandbox.addProjects(
				'main',
				Array.from({ length: count }, () => ({ durations: DURATIONS })),
			);
		/** No two rows have the same prompt. */
		let prompts = 0;
		/** Starts executions of a workflow for each project. */
		const startRows = async (path: string, projects: { id: string }[], counts: number[]) =>
			await Promise.all(
				projects.flatMap(({ id: project }) =>
					counts.map(async (count) => {
						const rows = Array.from({ length: count }, () => ({
							project,
							prompt: `Row ${++prompts}`,
						}));
						return await startExecution(path, { rows });
					}),
				),
			);
		const listCharges = (projects: { id: string }[]) =>
			queueMode.sandbox.charges.filter(({ projectId }) =>
				projects.some(({ id }) => id === projectId),
			);
		const countCharges = (projects: { id: string }[]) => listCharges(projects).length;
		/** Finds the worker that has the turn of one of these projects, while it makes the newest video. */
		const findHolder = async (projects: { id: string }[]): Promise<N8nWorker> =>
			await waitFor(
				'a video in the making',
				() => {
					const queueId = listCharges(projects).at(-1)?.queueId ?? '';
					const { videos } = queueMode.sandbox.readState();
					const isMade = videos.some((video) => video.queueId === queueId);
					return !isMade && n8n.workers.find((worker) => worker.readLog().includes(queueId));
				},
				BUSY_MS,
			);
		const configure = (settings: SettingsChange) => {
			queueMode.sandbox.configure({ endedItemsLeaveAfterMs: null, ...settings });
		};
		const report = (what: string, startedAt: number, given: string[]) => {
			const count = (name: string) => given.filter((each) => each === name).length;
			const seconds = Math.round((performance.now() - startedAt) / 1_000);
			const [own, none, another] = ['own', 'none', 'another'].map(count);
			process.stdout.write(`${what}: ${own} own, ${none} none, ${another} wrong, ${seconds} s\n`);
		};

		test('24 rows of two projects each get their own, although the service tells nothing', async () => {
			const startedAt = performance.now();
			const projects = addProjects(2);
			const started = await startRows('share', projects, FORMS_AND_BATCH);
			const given = listGiven(await waitForExecutions(started));
			report('24 rows, silent', startedAt, given);
			expect(given).toEqual(Array(2 * ROWS).fill('own'));
		});

		test.each<[string, SettingsChange]>([
			['stays in the queue', {}],
			['leaves the queue', { endedItemsLeaveAfterMs: 0 }],
		])(
			'no row gets the video of another while the worker that has a turn is killed, and the next one is asked to end, where what is finished %s',
			async (what, settings) => {
				configure(settings);
				const startedAt = performance.now();
				const projects = addProjects(2);
				const started = await startRows('share', projects, FORMS_AND_BATCH);
				const areMade = (count: number) => () => countCharges(projects) >= count;
				await waitFor('some videos', areMade(5), BUSY_MS);
				const killed = await findHolder(projects);
				killed.kill();
				await killed.waitForEnd();
				await waitFor('more videos', areMade(9), BUSY_MS);
				const asked = await findHolder(projects);
				await asked.stop();
				await Promise.all([killed.start(), asked.start()]);
				const executions = await waitForExecutions(started);
				const given = listGiven(executions.filter(({ status }) => status === 'success'));
				report(`Kill and SIGTERM, ${what}`, startedAt, given);
				expect(given).not.toContain('another');
				expect(given).toContain('own');
				// Nothing is paid twice.
				expect(countCharges(projects)).toBeLessThanOrEqual(2 * ROWS);
			},
		);

		test('a row whose worker is killed after its video came out is left out, and its video is listed', async () => {
			configure({});
			const projects = addProjects(1);
			const rows = projects.map(({ id: project }) => ({ project }));
			await startExecution('once', { rows });
			const isPast = () => queueMode.countRequests('account.get') > 0;
			await waitFor('the next node', isPast, BUSY_MS);
			const queueId = listCharges(projects)[0]?.queueId ?? '';
			const killed = n8n.workers.find((worker) => worker.readLog().includes(queueId));
			killed?.kill();
			await killed?.waitForEnd();
			await killed?.start();
			const executions = await waitForExecutions([await startExecution('once', { rows })]);
			expect(executions.map(({ status }) => status)).toEqual(['success']);
			expect(listGiven(executions)).toEqual([]);
			expect(countCharges(projects)).toBe(1);
			const { videos } = queueMode.sandbox.readState();
			expect(videos.filter((video) => video.queueId === queueId)).toHaveLength(1);
		});

		test.each(['new', 'higher'])(
			'Remove Duplicates before Generate lets each value through once, in the row of the workflow and of the node: %s',
			async (path) => {
				configure({});
				const [{ id: project } = { id: '' }] = addProjects(1);
				const run = async (...numbers: number[]) => {
					const rows = numbers.map((number) => ({ number, project }));
					return await waitForExecutions([await startExecution(path, { rows })]);
				};
				expect(listGiven(await run(1, 2))).toEqual(['own', 'own']);
				expect(listGiven(await run(1, 2, 3))).toEqual(['own']);
			},
		);

		test("Remove Duplicates fails if it is to keep the highest value in the row of the workflow's turns", async () => {
			const rows = addProjects(1).map(({ id: project }) => ({ number: 1, project }));
			const [execution] = await waitForExecutions([await startExecution('afterwards', { rows })]);
			expect(execution?.status).toBe('error');
			expect(execution?.data.resultData.error?.message).toContain('incompatible setting');
		});

		test('Stop ends the payments of an execution that the webhook processor has queued', async () => {
			configure({});
			const projects = addProjects(1);
			const [id = ''] = await startRows('share', projects, [6]);
			await waitFor('the first video', () => countCharges(projects) > 0, BUSY_MS);
			await n8n.main.client.request('POST', `/executions/${id}/stop`);
			const paid = countCharges(projects);
			// Its next row would be paid before the second one of these.
			for (let form = 1; form <= 2; form++) {
				const next = await waitForExecutions(await startRows('share', projects, [1]));
				expect(listGiven(next)).toEqual(['own']);
				expect(countCharges(projects)).toBe(paid + form);
			}
		});
	},
);
