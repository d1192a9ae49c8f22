import type { RecordedRequest } from '../../../sandbox/control/requestLog';
import type { Project } from '../../../sandbox/domain/model';
import { waitFor } from '../../../scripts/waitFor';
import { describeWith } from '../../support/e2e/describeWith';
import { readItems, type N8nWorker } from '../../support/e2e/RealN8n';
import { useQueueMode } from '../queueMode/useQueueMode';
import { buildWorkflows, PARKED_PROJECT } from '../queueMode/workflows';

/** How many executions one worker runs at the same time. */
const CONCURRENCY = 2;
/** All places of both workers, and two executions that wait in Redis. */
const EXECUTIONS = 2 * CONCURRENCY + 2;
const WORKERS = ['worker-1', 'worker-2'];
const CREDITS = 100;

const SHORT = { pendingMs: 200, processingMs: 500, renderingMs: 200 };
/** Durations longer than the test: such a video is finished by hand. */
const ENDLESS = { pendingMs: 500, processingMs: 3_600_000 };

/** The trigger polls every ten seconds. */
const NEXT_POLL_MS = 60_000;

/** Beside other checks, a machine may need minutes. */
const BUSY_MS = 180_000;

/** What n8n says of the executions of a worker that has ended before them. */
const TOO_MANY = /failed to be processed too many times/;

describeWith(
	['redis', 'postgresql'],
	"In n8n's queue mode, with two workers, of which one is killed",
	() => {
		const queueMode = useQueueMode(
			{ name: 'killed-workers', workers: WORKERS, concurrency: CONCURRENCY, credits: CREDITS },
			buildWorkflows,
		);
		const { findWorker, listGiven, n8n, startExecution, startOrder, waitForExecutions } = queueMode;

		/** Finds the queue item of a project that has only one. */
		const findQueueItem = (projectId: string) =>
			queueMode.sandbox.readState().queue.find((item) => item.projectId === projectId);
		/** Returns the IDs of all videos that were made. */
		const listVideoIds = () =>
			queueMode.sandbox.readState().videos.flatMap(({ id, queueId }) => (queueId ? [id] : []));
		const addProjects = (count: number, durations: object): Project[] =>
			queueMode.sandbox.addProjects(
				'main',
				Array.from({ length: count }, () => ({ durations })),
			);
		/** Starts one execution for each project. @returns their ids, by project */
		const startVideos = async (projects: Project[]): Promise<Map<string, string>> => {
			const started = new Map<string, string>();
			for (const { id } of projects)
				started.set(id, await startExecution('generate', { project: id }));
			return started;
		};
		const waitForItems = async (projects: Project[]) => {
			const areQueued = () => projects.every(({ id }) => findQueueItem(id) !== undefined);
			await waitFor('the videos to be queued', areQueued, BUSY_MS);
		};
		const finishVideos = (projects: Pick<Project, 'id'>[]) => {
			for (const { id } of projects) queueMode.sandbox.finish(findQueueItem(id)?.queueId ?? '');
		};
		const listHandedOn = async () =>
			(await n8n.main.listExecutions('react'))
				.flatMap((execution) => readItems(execution, 'When a video is finished'))
				.map(({ json }) => json.id);

		describe('when one worker is killed, the other one is asked to end, and the next one starts', () => {
			/** The executions of these projects fill both workers, and two more wait in Redis. */
			let projects: Project[];
			let started: Map<string, string>;
			let killed: N8nWorker;
			let asked: N8nWorker;
			/** The executions that the killed worker was running. */
			let lost: string[];
			/** An execution of the other worker that ends within its time, and one that does not. */
			let short: string;
			let long: string;
			/** The prompt of an order after them. */
			const NEXT = 'next';
			/** An execution that n8n's Wait node keeps in the database. */
			let parked: string;

			const findProject = (execution: string) =>
				projects.find(({ id }) => started.get(id) === execution)?.id ?? '';

			beforeAll(async () => {
				const { sandbox } = queueMode;
				const { client } = n8n.main;
				parked = await client.runWorkflow('park', 'When you press Execute');
				await n8n.main.waitForStatus(parked, 'waiting');

				projects = addProjects(EXECUTIONS, ENDLESS);
				// The response to the add of an order that takes its turn never comes.
				const inTheAir = projects[0]?.id ?? '';
				const add = { operation: 'queue.add', containing: inTheAir } as const;
				sandbox.addFault({
					kind: 'latency',
					phase: 'after',
					delayMs: ENDLESS.processingMs,
					...add,
				});
				const order = await startOrder(inTheAir, '');
				started = new Map([[inTheAir, order], ...(await startVideos(projects.slice(1)))]);
				const countLogged = () =>
					n8n.workers
						.flatMap((worker) => [...worker.listQueuedVideos().keys()])
						.filter((id) => [...started.values()].includes(id)).length;
				const areTaken = () =>
					countLogged() === 2 * CONCURRENCY - 1 && findQueueItem(inTheAir) !== undefined;
				await waitFor('all places to be taken', areTaken, BUSY_MS);

				killed = findWorker(order);
				asked = n8n.workers.find((worker) => worker !== killed) ?? killed;
				lost = killed.listRunning();
				[short = '', long = ''] = asked.listRunning();
				killed.kill();
				await killed.waitForEnd();
				for (const { id } of projects) sandbox.changeProject(id, { durations: SHORT });
				finishVideos([...lost, short].map((execution) => ({ id: findProject(execution) })));
				await Promise.all([asked.stop(), killed.start()]);
				expect(asked.listRunning()).toEqual([long]);
				sandbox.clearFaults();
			});

			test("their logs name the queue item of each whose response had arrived, and Queue > Wait gets a video that isn't finished", async () => {
				for (const [worker, ids] of [
					[killed, lost],
					[asked, [long]],
				] as const) {
					const logged = worker.listQueuedVideos();
					for (const id of ids) {
						const projectId = findProject(id);
						const named = { queueId: findQueueItem(projectId)?.queueId, projectId };
						expect(logged.get(id)).toEqual(projectId === projects[0]?.id ? undefined : named);
					}
				}
				const { sandbox } = queueMode;
				const named = asked.listQueuedVideos().get(long);
				const queueId = named?.queueId ?? '';
				sandbox.clearRequests();
				const wait = await startExecution('wait', { ...named });
				const isLookedAt = () => sandbox.requests.some(({ url }) => url.endsWith(queueId));
				await waitFor('a look at it', isLookedAt, BUSY_MS);
				sandbox.finish(queueId);
				expect(listGiven(await waitForExecutions([wait]))).toEqual(['own']);
			});

			test("the next worker continues what n8n's Wait node keeps", async () => {
				const { queueId = '', customPrompt } = findQueueItem(PARKED_PROJECT) ?? {};
				queueMode.sandbox.finish(queueId);
				// The link that goes on.
				expect(await n8n.main.openLink(customPrompt ?? '')).toBe(200);
				const [continued] = await waitForExecutions([parked]);
				expect(continued && listGiven([continued], 'Use the video')).toEqual(['own']);
				// It was started by hand: with OFFLOAD_MANUAL_EXECUTIONS_TO_WORKERS, workers ran all of it.
				const runs = n8n.workers.flatMap((worker) => worker.listStarted());
				expect(runs.filter((id) => id === parked)).toHaveLength(2);
			});

			test('the next order of the project begins when the turn of the lost one is over', async () => {
				const project = projects[0]?.id ?? '';
				const next = await startOrder(project, NEXT);
				expect(listGiven(await waitForExecutions([next]))).toEqual(['own']);
			});

			// n8n takes most of a minute to notice it, so this comes last.
			test('what they were still running fails, Retry repeats the error, the others succeed, and none is paid twice', async () => {
				const executions = await waitForExecutions(started.values());
				const failed = executions.filter(({ status }) => status === 'error');
				expect(failed.map(({ id }) => id).sort()).toEqual([...lost, long].sort());
				const retries = failed.map(({ id }) => n8n.main.client.retryExecution(id, false));
				for (const { data } of [
					...failed,
					...(await waitForExecutions(await Promise.all(retries))),
				]) {
					expect(data.resultData.error?.message).toMatch(TOO_MANY);
				}
				const items = listGiven(executions.filter(({ status }) => status === 'success'));
				expect(items).toEqual(Array(EXECUTIONS - failed.length).fill('own'));
				const { charges } = queueMode.sandbox;
				const paid = charges.filter(({ customPrompt }) => customPrompt !== NEXT);
				const ofThese = paid.map(({ projectId }) => projectId).filter((id) => started.has(id));
				expect(ofThese.sort()).toEqual([...started.keys()].sort());
			});
		});

		test('the trigger hands on each video once, also those of lost executions, and when main is killed during a poll', async () => {
			const { sandbox } = queueMode;
			// Only the trigger sends tags. Without durable cursors, main keeps its state itself.
			const isPoll = ({ headers }: RecordedRequest) => 'if-none-match' in headers;
			const countPolls = () => sandbox.requests.filter(isPoll).length;
			const projects = addProjects(CONCURRENCY, ENDLESS);
			const started = await startVideos(projects);
			await waitForItems(projects);
			const stopListening = sandbox.onRequest((request) => {
				if (isPoll(request)) n8n.main.kill();
			});
			await n8n.main.waitForEnd();
			stopListening();
			// A video is finished while main does not poll; the worker continues to wait meanwhile.
			sandbox.addVideos('main', [{ id: 'meanwhile' }]);
			await n8n.main.start();
			finishVideos(projects);
			const executions = await waitForExecutions(started.values());
			expect(executions.map(({ status }) => status)).toEqual(projects.map(() => 'success'));

			const videoIds = ['meanwhile', ...listVideoIds()].sort();
			await waitFor(
				'the trigger to hand them on',
				async () => (await listHandedOn()).length >= videoIds.length,
				NEXT_POLL_MS,
			);
			const polls = countPolls();
			await waitFor('the poll after', () => countPolls() > polls, NEXT_POLL_MS);
			expect((await listHandedOn()).sort()).toEqual(videoIds);
		});
	},
);
