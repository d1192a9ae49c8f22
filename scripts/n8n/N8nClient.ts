import axios, { isAxiosError, type AxiosRequestConfig, type AxiosResponse } from 'axios';
import { parse } from 'flatted';
import type { IBinaryData } from 'n8n-workflow';
import { Agent } from 'node:http';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../waitFor';
import type {
	Credential,
	CredentialContent,
	Execution,
	Workflow,
	WorkflowContent,
} from './n8nTypes';
import type { Owner } from './owner';

const REQUEST_TIMEOUT_MS = 120_000;
const RETRY_MS = 1_000;
/**
 * n8n needs `pinData`, even if it is empty, to execute a single node of a workflow that has run:
 * otherwise it reads the pins of `null` and fails.
 */
const NO_PINS = { pinData: {} };
const ENDED = ['success', 'error', 'crashed', 'canceled'];

/** A client of n8n's internal REST API, like its editor: one user, logged in with a cookie. */
export class N8nClient {
	private readonly http;

	constructor(
		readonly address: string,
		readonly owner: Owner,
	) {
		// A proxy from the user's shell cannot reach an n8n on this machine.
		this.http = axios.create({
			baseURL: `${address}/rest`,
			timeout: REQUEST_TIMEOUT_MS,
			proxy: false,
			// A busy n8n may close a kept-alive connection just when the next request is sent on it.
			httpAgent: new Agent({ keepAlive: false }),
		});
	}

	/** Waits until n8n has loaded everything and responds. */
	async waitUntilReady(timeoutMs: number): Promise<void> {
		const isReady = async () => {
			const { status, data } = await this.http
				.get<unknown>('/login', { validateStatus: () => true })
				.catch(() => ({ status: 0, data: undefined }));
			// The status is 401 before the login. While n8n starts, it responds with a text, not with JSON.
			return [200, 401].includes(status) && typeof data === 'object';
		};
		await waitFor('n8n to answer', isReady, timeoutMs);
	}

	/** Logs in the owner, whose account is created if there is none yet. */
	async setUpOwner(): Promise<void> {
		const { email: emailOrLdapLoginId, password } = this.owner;
		await this.request('POST', '/login', { emailOrLdapLoginId, password }).catch(() =>
			this.request('POST', '/owner/setup', this.owner),
		);
	}

	async createCredential(content: CredentialContent): Promise<Credential> {
		return await this.request('POST', '/credentials', content);
	}

	/** Creates the credential, or updates the one with the same name and type. */
	async saveCredential(content: CredentialContent): Promise<Credential> {
		const isSame = ({ name, type }: Credential) => name === content.name && type === content.type;
		const existing = (await this.request<Credential[]>('GET', '/credentials')).find(isSame);
		return existing
			? await this.request('PATCH', `/credentials/${existing.id}`, content)
			: await this.createCredential(content);
	}

	/** @param id id for the new workflow, so that it can be found again */
	async createWorkflow(content: WorkflowContent, id?: string): Promise<Workflow> {
		return await this.request('POST', '/workflows', { ...NO_PINS, ...content, id });
	}

	/** Creates the workflow with this id, or updates the existing one. */
	async saveWorkflow(id: string, content: WorkflowContent): Promise<Workflow> {
		const { exists } = await this.request<{ exists: boolean }>('GET', `/workflows/${id}/exists`);
		return exists
			? await this.request('PATCH', `/workflows/${id}`, { ...NO_PINS, ...content })
			: await this.createWorkflow(content, id);
	}

	/** Publishes the saved version, so that its triggers fire. */
	async activateWorkflow({ id, versionId }: Workflow): Promise<Workflow> {
		return await this.request('POST', `/workflows/${id}/activate`, { versionId });
	}

	async deactivateWorkflow(id: string): Promise<Workflow> {
		return await this.request('POST', `/workflows/${id}/deactivate`, {});
	}

	/**
	 * Runs the saved workflow as the editor's button does.
	 * @returns the id of the execution, which continues by itself
	 */
	async runWorkflow(id: string, triggerName: string): Promise<string> {
		const workflowData = await this.request<Workflow>('GET', `/workflows/${id}`);
		const body = { workflowData, triggerToStartFrom: { name: triggerName } };
		const path = `/workflows/${id}/run`;
		return (await this.request<{ executionId: string }>('POST', path, body)).executionId;
	}

	async getExecution(id: string): Promise<Execution> {
		type Sent = Omit<Execution, 'data'> & { data: string };
		const execution = await this.request<Sent>('GET', `/executions/${id}`);
		return { ...execution, data: parse(execution.data) as Execution['data'] };
	}

	/** Returns the execution once it has ended, with any status. */
	async waitForExecution(id: string, timeoutMs: number): Promise<Execution> {
		const findEnded = async () => {
			const execution = await this.getExecution(id);
			return ENDED.includes(execution.status) && execution;
		};
		return await waitFor(`execution ${id} to end`, findEnded, timeoutMs);
	}

	/**
	 * Retries a failed execution, and waits until the retry has ended.
	 * @param loadWorkflow whether the workflow runs as it is saved now, and not as it was
	 * @returns the id of the retry
	 */
	async retryExecution(id: string, loadWorkflow: boolean): Promise<string> {
		const path = `/executions/${id}/retry`;
		return (await this.request<{ id: string }>('POST', path, { loadWorkflow })).id;
	}

	/** Returns a file of an execution: n8n stores its content under `id`, or without one as base64 in `data`. */
	async readBinary({ id, data }: IBinaryData): Promise<Buffer> {
		if (id === undefined) return Buffer.from(data, 'base64');
		const url = `/binary-data?action=download&id=${encodeURIComponent(id)}`;
		return (await this.send<Buffer>({ method: 'GET', url, responseType: 'arraybuffer' })).data;
	}

	/**
	 * Sends any request to n8n's REST API, and again if n8n was too busy to look at it.
	 * @returns the response without its `data` envelope
	 */
	async request<Reply>(method: string, path: string, body?: unknown): Promise<Reply> {
		const response = await this.send<{ data: Reply }>({ method, url: path, data: body });
		const cookies = response.headers['set-cookie'] ?? [];
		const session = cookies.find((cookie) => cookie.startsWith('n8n-auth='));
		if (session) this.http.defaults.headers.common.cookie = session.split(';')[0];
		return response.data.data;
	}

	private async send<Body>(request: AxiosRequestConfig, tries = 5): Promise<AxiosResponse<Body>> {
		try {
			return await this.http.request<Body>(request);
		} catch (error) {
			if (!isAxiosError<{ message?: string } | undefined>(error)) throw error;
			const { status, data, statusText } = error.response ?? {};
			if (tries > 1 && isTooBusy(status, data?.message)) {
				await delay(RETRY_MS);
				return await this.send(request, tries - 1);
			}
			const reason = status ? `${status}, ${data?.message ?? statusText ?? ''}` : error.message;
			const path = `${request.method ?? ''} /rest${request.url ?? ''}`;
			throw new Error(`n8n did not accept ${path}: ${reason}`);
		}
	}
}

/**
 * On a busy machine n8n may have no time for its database (503), or for its own patterns, to which it
 * gives 250 ms of real time before it runs a workflow.
 */
function isTooBusy(status?: number, message?: string): boolean {
	return status === 503 || message === 'Regular expression execution timed out';
}
