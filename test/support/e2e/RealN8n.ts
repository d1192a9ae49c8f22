import axios from 'axios';
import { N8nClient } from '../../../scripts/n8n/N8nClient';
import type { Execution } from '../../../scripts/n8n/n8nTypes';
import { waitFor } from '../../../scripts/waitFor';
import { N8nInstance } from './N8nInstance';

const START_TIMEOUT_MS = 180_000;

/** Turns off the task runner, which executes code: a fifth of n8n's start. */
export const WITHOUT_CODE = {
	N8N_RUNNERS_MODE: 'external',
	N8N_RUNNERS_AUTH_TOKEN: 'nobody has it',
};

/** Turns off the editor, too: n8n prepares its files at every start, which takes a third of it. */
export const WITHOUT_EDITOR = { ...WITHOUT_CODE, N8N_DISABLE_UI: 'true' };

/** A whole n8n: editor, REST API, triggers, and the executions unless it has workers. */
export class RealN8n extends N8nInstance {
	private heldClient: N8nClient | undefined;

	/**
	 * @param name the folder of n8n's data, which is emptied first
	 * @param environment settings beside the usual ones
	 */
	static create(name: string, environment: Record<string, string> = {}): RealN8n {
		return new RealN8n({ name, environment, command: ['start'] });
	}

	get client(): N8nClient {
		if (!this.heldClient) throw new Error('n8n is not started');
		return this.heldClient;
	}

	/** Lists all executions of a workflow with any status, oldest first. */
	async listExecutions(workflowId: string): Promise<Execution[]> {
		const filter = encodeURIComponent(JSON.stringify({ workflowId }));
		const { results } = await this.client.request<{ results: { id: string }[] }>(
			'GET',
			`/executions?filter=${filter}&limit=100`,
		);
		const ids = results.map(({ id }) => id).sort((a, b) => Number(a) - Number(b));
		return await Promise.all(ids.map(async (id) => await this.client.getExecution(id)));
	}

	/**
	 * Calls a webhook, which n8n registers some time after the publication.
	 * @returns the id of the execution that it starts
	 */
	async callWebhook(path: string, body: object = {}): Promise<string> {
		const address = `${this.client.address}/webhook/${path}`;
		return await waitFor(`the webhook "${path}"`, async () => {
			const { status, data } = await axios.post<unknown>(address, body, {
				proxy: false,
				validateStatus: (code) => code === 200 || code === 404,
			});
			return status === 200 && String(data);
		});
	}

	protected override getPortEnvironment(): Record<string, string> {
		return {};
	}

	protected override async waitUntilReady(address: string): Promise<void> {
		this.heldClient = new N8nClient(address);
		await this.heldClient.waitUntilReady(START_TIMEOUT_MS);
		await this.heldClient.setUpOwner();
	}
}
