import { execFile } from 'node:child_process';
import { promisify } from 'node:util';
import { buildN8nEnvironment } from '../../scripts/n8n/environment';
import { waitFor } from '../../scripts/waitFor';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import { buildWorkflow, makeItems, START, videoGeneration } from '../support/e2e/buildWorkflow';
import { readProvided } from '../support/e2e/provided';
import { WITHOUT_EDITOR } from '../support/e2e/RealN8n';
import { readItems } from '../support/e2e/runContent';
import { TwoMachines } from '../support/e2e/TwoMachines';
import { useRealN8n } from '../support/e2e/useRealN8n';

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

(canBeMade ? describe : describe.skip)(
	'A network that breaks between an add and its response',
	() => {
		const real = useRealN8n('network-cut', { environment: WITHOUT_EDITOR });
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
					makeItems(PROMPTS.map((prompt) => ({ prompt }))),
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
