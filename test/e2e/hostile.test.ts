import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import type { IDataObject } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { buildN8nEnvironment } from '../../scripts/n8n/environment';
import { waitFor } from '../../scripts/waitFor';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import {
	buildWorkflow,
	makeItems,
	START,
	videoGeneration,
	type WorkflowStep,
} from '../support/e2e/buildWorkflow';
import { PeakMemory } from '../support/e2e/PeakMemory';
import { readProvided } from '../support/e2e/provided';
import { readItems, runContent } from '../support/e2e/runContent';
import { WITHOUT_CODE } from '../support/e2e/RealN8n';
import { TwoMachines } from '../support/e2e/TwoMachines';
import { useRealN8n } from '../support/e2e/useRealN8n';

const real = useRealN8n('hostile', { environment: WITHOUT_CODE });
const canBeMade = TwoMachines.canBeMade();
if (!canBeMade) {
	process.stdout.write(
		'The tests of a network that breaks are left out: they need network namespaces, which only root can make, on Linux.\n',
	);
}

/** A port on n8n's machine, on which nothing else runs. */
const BROKER_PORT = 5679;
/** Long enough to be on its way for a while. */
const PROMPTS = ['first', 'second'].map((prompt) => prompt.padEnd(10_000, '.'));
/**
 * Maximum memory: the largest accepted list has 256 MiB, and is in memory more than once for a
 * moment.
 */
const MOST_MIB = 1_024;
const CONTINUE = { onError: 'continueRegularOutput' };

/**
 * The operations that pay, that fetch the largest response, and a small one; test/engine/hostile has
 * all of them.
 */
const ASKED = ['queue.add', 'video.getAll', 'account.get'] as const;

/**
 * Builds these operations, one after the other; each runs even if the one before fails.
 *
 * @param timeout timeout of each response (milliseconds); the node's own by default
 */
function buildOperations(timeout?: number): WorkflowStep[] {
	return ASKED.map((operation) => {
		const parameters: IDataObject = {
			...OPERATIONS[operation],
			options: { maxTries: 1 },
			...(timeout === undefined ? {} : { requestOptions: { timeout } }),
		};
		return videoGeneration(operation, real.credential, parameters, CONTINUE);
	});
}

/** Repeats a small request to n8n until the work is done. @returns the number of responses */
async function countAnswersDuring(work: Promise<unknown>): Promise<number> {
	const progress = { isOver: false };
	const end = () => {
		progress.isOver = true;
	};
	work.then(end, end);
	let answers = 0;
	while (!progress.isOver) {
		await real.client.request('GET', '/login');
		answers += 1;
	}
	return answers;
}

describe('A service that means harm, in a real n8n,', () => {
	test.each<[string, { fault: FaultSpec; reason: RegExp; timeout?: number }]>([
		[
			'floods',
			{ fault: { kind: 'endlessBody' }, reason: /is too large: it has more than (1|256) MiB/ },
		],
		[
			'drips',
			{
				fault: { kind: 'endlessBody', pieceBytes: 1, delayMs: 50 },
				reason: /did not answer in time/,
				timeout: 2_000,
			},
		],
	])(
		'that %s is refused, while n8n answers and holds little',
		async (_how, { fault, reason, timeout }) => {
			const memory = new PeakMemory(real.n8n.pid);
			memory.reset();
			const idleMiB = memory.read() ?? 0;
			real.sandbox.addVideos('main', [{}]);
			const operations = buildOperations(timeout);
			real.sandbox.addFault(fault);
			const work = runContent(real.client, buildWorkflow('Harm', [START, ...operations]));
			expect(await countAnswersDuring(work)).toBeGreaterThan(1);
			const execution = await work;
			expect(execution.status).toBe('success');
			for (const operation of ASKED) {
				expect(readItems(execution, operation)).toEqual([
					expect.objectContaining({
						json: expect.objectContaining({
							error: expect.stringMatching(reason) as unknown,
						}) as unknown,
					}),
				]);
			}
			expect(
				real.sandbox.requests.filter(({ operation }) => operation === 'queue.add'),
			).toHaveLength(1);
			expect((memory.read() ?? 0) - idleMiB).toBeLessThan(MOST_MIB);
		},
	);
});

(canBeMade ? describe : describe.skip)(
	'A network that breaks between an add and its response',
	() => {
		let machines: TwoMachines;
		beforeEach(async () => {
			machines = new TwoMachines(real.sandbox.port);
			await machines.start();
		});
		afterEach(async () => {
			await machines.stop();
		});

		test.each([
			[
				'Linux reports that the host cannot be reached',
				(): void => {
					machines.makeUnreachable();
				},
				'The connection to the video service broke before its response was complete',
			],
			[
				'nothing is heard any more',
				(): void => undefined,
				'The video service did not answer in time',
			],
		])('costs one charge when %s, and the next item is queued', async (_how, breakMore, error) => {
			const { n8n, sandbox } = real;
			const stopListening = sandbox.onRequest(() => {
				stopListening();
				breakMore();
			});
			const id = await createWorkflow();
			const ended = execute(id);
			await sandbox.waitForRequests({ count: 1, timeoutMs: 60_000 });
			await waitFor('Linux to give the connection up', () => !machines.isConnected());
			machines.repair();
			await ended;

			expect(sandbox.charges.map(({ customPrompt }) => customPrompt?.replace(/\.+/, ''))).toEqual([
				'first',
				'second',
			]);
			const [execution] = await n8n.listExecutions(id);
			expect(execution && readItems(execution, 'Add').map(({ json }) => json)).toEqual([
				{
					error,
					message: expect.stringContaining('may have been queued') as string,
					details: expect.objectContaining({ mayBeQueued: true }) as object,
				},
				expect.objectContaining({ queueId: sandbox.charges[1]?.queueId }),
			]);
		});

		/** Creates a workflow that queues both videos, and that n8n tries three times. */
		async function createWorkflow(): Promise<string> {
			const { client, sandbox } = real;
			const credential = await client.createCredential({
				name: 'Other machine',
				type: 'videoGenerationApi',
				data: { apiKey: sandbox.apiKey, baseUrl: machines.serviceUrl },
			});
			const parameters = { ...OPERATIONS['queue.add'], customPrompt: '={{ $json.prompt }}' };
			const { id } = await client.createWorkflow(
				buildWorkflow('Cut', [
					START,
					...makeItems(PROMPTS.map((prompt) => ({ prompt }))),
					videoGeneration('Add', credential, parameters, {
						...{ retryOnFail: true, maxTries: 3, waitBetweenTries: 1000 },
						onError: 'continueRegularOutput',
					}),
				]),
			);
			return id;
		}

		/** Executes a saved workflow with n8n's command, on n8n's machine. */
		async function execute(workflowId: string): Promise<void> {
			const { userFolder } = real.n8n;
			const { node, n8n: script } = readProvided();
			const [file, ...args] = [...machines.onN8n, node, script, 'execute', '--id', workflowId];
			const env = buildN8nEnvironment({
				userFolder,
				node,
				script,
				port: 0,
				brokerPort: BROKER_PORT,
			});
			await promisify(execFile)(file, args, { cwd: userFolder, env });
		}
	},
);
