import type { ExecutionItem, Workflow } from '../../../scripts/n8n/n8nTypes';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { startSandbox } from '../../../sandbox/startSandbox';
import { buildWorkflow, videoGeneration } from './buildWorkflow';
import { PACKAGE } from './PLACES';
import { RealN8n, WITHOUT_CODE } from './RealN8n';
import { readItems } from './runContent';
import { waitFor } from '../../../scripts/waitFor';

const TRIGGER = 'When a video is finished';
/** n8n polls every minute; the scheduler of the durable cursors may be some seconds late. */
const NEXT_POLL_MS = 100_000;

/**
 * A workflow of the trigger, active in a real n8n, with the service that it polls, and one for another
 * account, which was active and then deactivated.
 */
export class ActiveExample {
	constructor(
		readonly n8n: RealN8n,
		readonly sandbox: Sandbox,
		private readonly workflow: Workflow,
		private readonly deactivated: Workflow,
	) {}

	/** @param name name of n8n's folder */
	static async start(name: string, environment: Record<string, string>): Promise<ActiveExample> {
		const sandbox = await startSandbox({ rateLimit: false, clock: 'real' });
		const n8n = RealN8n.create(name, { ...WITHOUT_CODE, ...environment });
		try {
			await n8n.start();
			return await activate(n8n, sandbox);
		} catch (error) {
			await n8n.stop();
			await sandbox.close();
			throw error;
		}
	}

	async end(): Promise<void> {
		await this.n8n.stop();
		await this.sandbox.close();
	}

	async waitForNextPoll(): Promise<void> {
		const polls = this.countPolls();
		await waitFor('the next poll', () => this.countPolls() > polls, NEXT_POLL_MS);
	}

	/** Returns the ids of the videos that started each execution. */
	async listHandedOn(): Promise<unknown[][]> {
		const executions = await this.n8n.listExecutions(this.workflow.id);
		return executions.map((execution) => readItems(execution, TRIGGER).map(({ json }) => json.id));
	}

	/** Returns the status of the first execution and the output of its last node. */
	async readFirst(): Promise<{ status?: string; items: ExecutionItem[] }> {
		const [execution] = await this.n8n.listExecutions(this.workflow.id);
		if (!execution) return { items: [] };
		return { status: execution.status, items: readItems(execution, 'Pass it on') };
	}

	async countExecutionsOfDeactivated(): Promise<number> {
		return (await this.n8n.listExecutions(this.deactivated.id)).length;
	}

	async waitForExecutions(count: number): Promise<void> {
		const areThere = async () => {
			const executions = await this.n8n.listExecutions(this.workflow.id);
			return executions.filter(({ stoppedAt }) => stoppedAt !== null).length >= count;
		};
		await waitFor(`${count} executions`, areThere, NEXT_POLL_MS);
	}

	/**
	 * Counts the polls of this account that got a response; the deactivated copy polls with the other
	 * account.
	 */
	countPolls(account: 'main' | 'other' = 'main'): number {
		return this.listPollTimes(account).length;
	}

	/** Returns when these polls were received, in milliseconds since 1970. */
	listPollTimes(account: 'main' | 'other' = 'main'): number[] {
		const key = `Bearer ${this.sandbox.accounts[account].apiKey}`;
		return this.sandbox.requests
			.filter(
				({ operation, status, headers }) =>
					operation === 'video.getAll' && status !== undefined && headers.authorization === key,
			)
			.map(({ at }) => at);
	}
}

async function activate(n8n: RealN8n, sandbox: Sandbox): Promise<ActiveExample> {
	sandbox.addVideos('main', [{ id: 'old' }]);
	const { client } = n8n;
	const copy = await createWorkflow(n8n, sandbox, 'other');
	const workflow = await createWorkflow(n8n, sandbox, 'main');
	const example = new ActiveExample(n8n, sandbox, workflow, copy);
	await client.activateWorkflow(workflow);
	await client.activateWorkflow(copy);
	const havePolled = () => example.countPolls('main') > 0 && example.countPolls('other') > 0;
	await waitFor('the polls of the activations', havePolled, NEXT_POLL_MS);
	await client.deactivateWorkflow(copy.id);
	return example;
}

/** Creates a workflow that downloads every finished video of an account. */
async function createWorkflow(
	{ client }: RealN8n,
	{ accounts, url }: Sandbox,
	account: 'main' | 'other',
): Promise<Workflow> {
	const credential = await client.saveCredential({
		name: account,
		type: 'videoGenerationApi',
		data: { apiKey: accounts[account].apiKey, baseUrl: url },
	});
	const { id, name } = credential;
	const download = { resource: 'video', operation: 'download', videoUrl: '={{ $json.url }}' };
	return await client.createWorkflow(
		buildWorkflow(account, [
			{
				...{ name: TRIGGER, type: `${PACKAGE}.videoGenerationTrigger` },
				parameters: { pollTimes: { item: [{ mode: 'everyMinute' }] } },
				credentials: { videoGenerationApi: { id, name } },
			},
			videoGeneration('Download', credential, download),
			{ name: 'Pass it on', type: 'n8n-nodes-base.noOp' },
		]),
	);
}
