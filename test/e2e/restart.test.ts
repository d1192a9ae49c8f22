import { mkdirSync, readdirSync, writeFileSync } from 'node:fs';
import { delimiter, dirname, join } from 'node:path';
import { version } from '../../package.json';
import type { Operation } from '../../sandbox/domain/model';
import type { Sandbox } from '../../sandbox/Sandbox';
import { startSandbox } from '../../sandbox/startSandbox';
import type { WorkflowContent } from '../../scripts/n8n/n8nTypes';
import { findProgram } from '../../scripts/requirements';
import { waitFor } from '../../scripts/waitFor';
import {
	buildCalledWorkflow,
	buildWorkflow,
	makeItems,
	START,
	videoGeneration,
	videoGenerationTrigger,
} from '../support/e2e/buildWorkflow';
import { E2E_FOLDER, PACKAGE, readInstallation } from '../support/e2e/PLACES';
import { DURABLE_CURSORS, readItems, RealN8n, WITHOUT_EDITOR } from '../support/e2e/RealN8n';
import { QUICKLY, setUpExample } from '../support/e2e/setUpExample';
import { byId, DOWNLOAD, GENERATE, OPERATIONS } from '../support/engine/OPERATIONS';
import { unfoldError } from '../support/engine/unfoldError';

const TOUR = 'project-city-tour';
const SLOW = { pendingMs: 3_600_000 };
const TIMEOUT_MS = 180_000;
/** A workflow without a unique key, and its project. */
const UNGUARDED = 'unguarded';

/** Rows of a sheet. The response to the add of the eighth never comes. */
const makeRows = (name: string) =>
	Array.from({ length: 20 }, (_, row) => ({ id: `${name}-${row}`, prompt: `${name} ${row};` }));
/** One add is lost before it reaches the service, the other one after it was accepted. */
const ROWS = { lost: makeRows('lost'), paid: makeRows('paid') };
const IN_THE_AIR = 7;

/**
 * Replaces the npm that n8n runs: the packed package comes from its file, for n8n accepts another registry only
 * with a license. @returns n8n's environment variables
 */
function replaceNpm(): Record<string, string> {
	const packed = join(E2E_FOLDER, 'package');
	const [tarball = ''] = readdirSync(packed);
	const bin = join(E2E_FOLDER, 'npm');
	const script = `#!/bin/sh
case $1 in
	view) echo '"${version}"' ;;
	pack) cp '${join(packed, tarball)}' . && echo '${tarball}' ;;
	*) exec '${findProgram('npm')}' "$@" ;;
esac
`;
	mkdirSync(bin, { recursive: true });
	writeFileSync(join(bin, 'npm'), script, { mode: 0o755 });
	const path = [bin, dirname(readInstallation().node), process.env.PATH].join(delimiter);
	return {
		PATH: path,
		// Nothing listens there, so that n8n's own requests to the internet fail, those of npm at once.
		HTTPS_PROXY: 'http://127.0.0.1:1',
		NO_PROXY: '127.0.0.1',
		npm_config_fetch_retries: '0',
	};
}

describe('When n8n installs the package, is killed while it adds, polls and waits, and starts again', () => {
	let sandbox: Sandbox;
	let n8n: RealN8n;
	let waiting: string;
	/** Killed executions that a person and a webhook have started. */
	const killed = { byHand: '', byWebhook: '' };

	const count = (operation: Operation) =>
		sandbox.requests.filter((request) => request.operation === operation).length;
	/** When the polls after the first one were received: only polls send tags. */
	const listPollTimes = () =>
		sandbox.requests.filter(({ headers }) => 'if-none-match' in headers).map(({ at }) => at);
	const start = async (workflow: string) => await n8n.client.runWorkflow(workflow, START.name);
	/** Returns the packages that "Settings > Community nodes" shows. */
	const listPackages = async () => await n8n.client.request('GET', '/community-packages');
	const listHandedOn = async () =>
		(await n8n.listExecutions('react')).map((execution) =>
			readItems(execution, 'Download').map(({ json, binary }) => [json.id, binary?.data?.fileName]),
		);

	async function createWorkflows(): Promise<void> {
		const { client } = n8n;
		const credential = await n8n.connect(sandbox);
		const create = async (content: WorkflowContent) =>
			await client.createWorkflow(content, content.name);
		const add = {
			...OPERATIONS['queue.add'],
			customPrompt: '={{ $json.prompt }}',
			options: { uniqueKey: '={{ $json.id }}' },
		};
		for (const [key, rows] of Object.entries(ROWS)) {
			const step = videoGeneration('Video', credential, add, { onError: 'continueErrorOutput' });
			await create(buildWorkflow(key, [START, ...makeItems(rows), step]));
		}
		const generate = { ...GENERATE, projectId: byId(UNGUARDED) };
		const unguarded = buildCalledWorkflow(UNGUARDED, [
			videoGeneration('Video', credential, generate),
		]);
		await client.activateWorkflow(await create(unguarded));
		const steps = [
			videoGenerationTrigger('Trigger', credential),
			videoGeneration('Download', credential, DOWNLOAD),
		];
		await client.activateWorkflow(await create(buildWorkflow('react', steps)));
		const example = setUpExample('wait-through-a-restart', {
			credentials: [credential],
			changes: {
				'Queue the video': { customPrompt: 'The sea' },
				// n8n is killed and started again within the second wait: an execution that goes on at the same
				// moment as n8n's recovery counts as crashed. n8n keeps no wait of less than 65 seconds.
				'Wait in the database': { amount: '={{ $runIndex === 0 ? 1 : 90 }}', unit: 'seconds' },
				'Get the video if it is finished': { waitOptions: { ...QUICKLY, timeout: 1 } },
			},
		});
		await create({ ...example, name: 'wait' });
	}

	beforeAll(async () => {
		sandbox = await startSandbox({ rateLimit: false, clock: 'real' });
		sandbox.configure({ durations: SLOW });
		const createdAt = new Date(Date.now() - 60_000).toISOString();
		sandbox.addVideos('main', [{ id: 'older', projectId: TOUR, createdAt }]);
		const settings = { ...WITHOUT_EDITOR, ...DURABLE_CURSORS };
		n8n = new RealN8n('restart', { ...settings, ...replaceNpm() });
		await n8n.start();
		// The package is there already, as if it was installed by hand: n8n does not list it.
		expect(await listPackages()).toEqual([]);
		await n8n.client.request('POST', '/community-packages', { name: PACKAGE, version });
		await createWorkflows();
		await waitFor('the first poll', () => count('video.getAll') > 0, TIMEOUT_MS);

		const hang = { kind: 'hang', operation: 'queue.add' } as const;
		sandbox.addFault({ ...hang, containing: `lost ${IN_THE_AIR};` });
		sandbox.addFault({ ...hang, containing: `paid ${IN_THE_AIR};`, phase: 'after' });
		[killed.byHand = ''] = await Promise.all(
			Object.keys(ROWS).map(async (name) => await start(name)),
		);
		sandbox.addProjects('main', [{ id: UNGUARDED }]);
		killed.byWebhook = await n8n.callWebhook(UNGUARDED);
		const adds = 2 * (IN_THE_AIR + 1) + 1;
		await waitFor('the adds', () => count('queue.add') === adds, TIMEOUT_MS);
		waiting = await n8n.client.runWorkflow('wait', 'When you press Execute');
		await waitFor('a look at the video', () => count('queue.getProgress') > 0, TIMEOUT_MS);
		await n8n.waitForStatus(waiting, 'waiting');
		// The next poll asks for these videos, and its response never comes.
		sandbox.addFault({ kind: 'hang', operation: 'video.getAll', phase: 'after' });
		const polls = listPollTimes().length;
		sandbox.addVideos('main', [{ id: 'b', createdAt: '2099-01-01T00:00:01Z' }]);
		sandbox.addVideos('main', [{ id: 'a', createdAt: '2099-01-01T00:00:00Z' }]);
		await waitFor('a poll', () => listPollTimes().length > polls, TIMEOUT_MS);
		n8n.kill();
		await n8n.waitForEnd();
		sandbox.clearFaults();
		await n8n.start();
	});
	afterAll(async () => {
		await n8n.stop();
		await sandbox.close();
	});

	test('the package that n8n itself has installed is listed, with its nodes', async () => {
		expect(await listPackages()).toMatchObject([
			{
				packageName: PACKAGE,
				installedVersion: version,
				installedNodes: expect.arrayContaining([
					expect.objectContaining({ type: `${PACKAGE}.videoGeneration` }),
					expect.objectContaining({ type: `${PACKAGE}.videoGenerationTrigger` }),
				]) as unknown,
			},
		]);
	});

	test('a unique key is used once: what was not paid is queued by the next run, or named', async () => {
		const used = [];
		for (const name of Object.keys(ROWS)) {
			const id = await start(name);
			const execution = await n8n.client.waitForExecution(id, TIMEOUT_MS);
			const refused = readItems(execution, 'Video', 1);
			used.push(refused.map(({ json }) => unfoldError(json).details));
		}
		const namedRows = (rows: typeof ROWS.lost) =>
			rows
				.slice(0, IN_THE_AIR + 1)
				.map(({ id }) => expect.objectContaining({ uniqueKey: id }) as object);
		expect(used).toEqual([namedRows(ROWS.lost), namedRows(ROWS.paid)]);
		const payable = [...ROWS.lost.filter((_, row) => row !== IN_THE_AIR), ...ROWS.paid];
		const paid = sandbox.charges.filter(({ projectId }) => projectId !== UNGUARDED);
		expect(paid.map(({ customPrompt }) => customPrompt).sort()).toEqual(
			[...payable.map(({ prompt }) => prompt), 'The sea'].sort(),
		);
	});

	test('Retry of a killed execution begins anew, and pays again; n8n refuses it for one that was started by hand', async () => {
		const { client } = n8n;
		await expect(client.retryExecution(killed.byHand, false)).rejects.toThrow(/cannot be retried/);
		const listPaid = () => sandbox.charges.filter(({ projectId }) => projectId === UNGUARDED);
		const [first] = listPaid();
		expect(n8n.listQueuedVideos().get(killed.byWebhook)?.queueId).toBe(first?.queueId);
		expect((await client.getExecution(killed.byWebhook)).status).toBe('crashed');
		const retry = client.retryExecution(killed.byWebhook, false);
		await waitFor('the second add', () => listPaid().length === 2, TIMEOUT_MS);
		const second = listPaid()[1]?.queueId;
		sandbox.finish(second ?? '');
		const execution = await client.getExecution(await retry);
		expect(execution.status).toBe('success');
		expect(readItems(execution, 'Video')).toMatchObject([{ json: { queueId: second } }]);
	});

	test('the videos of the poll start one execution, once, and no earlier video does', async () => {
		const handedOn = [
			[
				['a', 'a.mp4'],
				['b', 'b.mp4'],
			],
		];
		const isHandedOn = async () => (await listHandedOn())[0]?.length === 2;
		await waitFor('the videos', isHandedOn, TIMEOUT_MS);
		const polls = listPollTimes().length;
		await waitFor('another poll', () => listPollTimes().length > polls, TIMEOUT_MS);
		const isOfPoll = (video: unknown[]) => ['a', 'b', 'older'].includes(String(video[0]));
		expect((await listHandedOn()).filter((videos) => videos.some(isOfPoll))).toEqual(handedOn);
	});

	test('the example that waits goes on, and gets the video that it paid for', async () => {
		const { queueId, videoId } = sandbox.charges.find(({ projectId }) => projectId === TOUR) ?? {};
		sandbox.finish(queueId ?? '');
		const execution = await n8n.client.waitForExecution(waiting, TIMEOUT_MS);
		expect(execution.status).toBe('success');
		expect(readItems(execution, 'Use the video')).toMatchObject([
			{
				json: { videoUrl: `${sandbox.url}/files/${videoId}.mp4` },
				binary: { data: { mimeType: 'video/mp4' } },
			},
		]);
	});
});
