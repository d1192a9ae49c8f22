import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import axios from 'axios';
import type { FaultSpec } from '../../../sandbox/faults/FaultSpec';
import type { Credential, WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import {
	buildWorkflow,
	makeItems,
	START,
	videoGeneration,
	videoGenerationTrigger,
	withCredentials,
	type WorkflowStep,
} from '../../support/e2e/buildWorkflow';
import { PACKAGE } from '../../support/e2e/PLACES';
import { readItems } from '../../support/e2e/RealN8n';
import {
	byId,
	DOWNLOAD,
	GENERATE,
	OPERATIONS,
	PROJECT,
	WAIT,
} from '../../support/engine/OPERATIONS';
import { useFileHost } from '../../support/engine/useFileHost';
import { KEY, KEY_PART, real } from './n8n';

const POLL_MS = 60_000;

const node = (name: string, parameters: object, settings = {}) =>
	videoGeneration(name, real.credential, { ...parameters }, settings);
const run = async (...steps: WorkflowStep[]) =>
	await real.n8n.run(buildWorkflow('Security', [START, ...steps]));

/** Builds a workflow whose trigger outputs all videos, with their files, when it is published. */
const buildTrigger = () =>
	buildWorkflow('Trigger', [
		videoGenerationTrigger('Trigger', real.credential, { emitExisting: true, downloadVideo: true }),
	]);

describe("The credential's key", () => {
	/** Its base64 depends on the number of bytes before it, and at its ends on its neighbors. */
	const toBase64 = (before: string) =>
		Buffer.from(before + KEY_PART)
			.toString('base64')
			.slice(before === '' ? 0 : 4, -4);
	const FORMS = [KEY_PART, Buffer.from(KEY_PART).toString('hex'), ...['', ' ', '  '].map(toBase64)];
	const hasKey = (content: string | Buffer) => FORMS.some((form) => content.includes(form));
	/** Returns the files below n8n's folder that contain the key. */
	const findFiles = () => {
		const { userFolder } = real.n8n;
		return readdirSync(userFolder, { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map((entry) => join(entry.parentPath, entry.name))
			.filter((file) => hasKey(readFileSync(file)))
			.map((file) => relative(userFolder, file));
	};
	/** All responses of n8n, as its editor receives them. */
	const replies: string[] = [];
	/** One for each way in which n8n gets and keeps the service's words. */
	const FAULTS: FaultSpec[] = [
		{ kind: 'status', status: 401, message: `No such key: ${KEY}`.padStart(302, 'x') },
		{ kind: 'redirect', location: `http://127.0.0.1:1/${KEY}?key=${encodeURIComponent(KEY)}` },
		{ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 600, message: `Slow down, ${KEY}` },
		{ kind: 'errorEnvelope', message: `The key ${KEY} is used up` },
		{ kind: 'html', body: `<p>Hello ${KEY}</p>` },
		{ kind: 'status', status: 200, body: `{"status":"success","key":"${KEY}` },
		{ kind: 'reset' },
		{ kind: 'missingField', field: 'newQueueItem.queueId' },
	];

	beforeAll(() => {
		const { client } = real;
		const request = client.request.bind(client);
		jest.spyOn(client, 'request').mockImplementation(async (method, path, body) => {
			const reply = await request(method, path, body).catch((error: unknown) => {
				replies.push(String(error));
				throw error;
			});
			replies.push(JSON.stringify(reply ?? null));
			return reply;
		});
	});
	afterAll(() => {
		jest.restoreAllMocks();
	});

	const options = { maxTries: 1 };
	const ADD = { ...OPERATIONS['queue.add'], options };
	const ACCOUNT = { ...OPERATIONS['account.get'], options };

	const ADDED = { queueId: "={{ $('Add').item.json.queueId }}" };
	const waitOptions = { pollingInterval: 1, listingDelay: 1 };

	test('is used by successful runs: all operations, a test event, a pinned output', async () => {
		const { client, sandbox } = real;
		sandbox.configure({ durations: { pendingMs: 100, processingMs: 100, renderingMs: 100 } });
		const execution = await run(
			...makeItems([{}, {}]),
			node('Account', ACCOUNT),
			node('Projects', { ...OPERATIONS['project.getAll'], limit: 1 }),
			node('Generate', { ...GENERATE, waitOptions }),
			node('Videos', OPERATIONS['video.getAll']),
			node('Get', OPERATIONS['video.get']),
			node('Download', DOWNLOAD),
		);
		expect(execution.status).toBe('success');
		const projectId = byId(PROJECT);
		const ofQueue = await Promise.all([
			run(
				node('Add', ADD),
				node('Progress', { ...OPERATIONS['queue.getProgress'], ...ADDED }),
				node('Clear', { ...OPERATIONS['queue.clear'], ...ADDED }),
			),
			run(node('Add', ADD), node('Wait', { ...WAIT, ...ADDED, projectId, waitOptions })),
		]);
		expect(ofQueue.map(({ status }) => status)).toEqual(['success', 'success']);
		const { id } = await client.createWorkflow(buildTrigger());
		await client.waitForExecution(await client.runWorkflow(id, 'Trigger'), POLL_MS);

		const pinned: WorkflowContent & { pinData: object } = {
			...buildWorkflow('Pinned', [START, node('Account', ACCOUNT)]),
			pinData: { Account: readItems(execution, 'Account').map(({ json }) => ({ json })) },
		};
		await client.createWorkflow(pinned);
	});

	test.each(FAULTS)('is used when the service answers with %j', async (fault) => {
		const { client, credential, sandbox } = real;
		sandbox.addFault(fault);
		const tolerant = { onError: 'continueErrorOutput' };
		const [stopped] = await Promise.all([
			run(node('Account', ACCOUNT)),
			run(...makeItems([{}, {}]), node('Add', ADD, tolerant)),
		]);
		expect(stopped.status).toBe(fault.kind === 'missingField' ? 'success' : 'error');
		const data = { apiKey: KEY, baseUrl: sandbox.url };
		await client.request('POST', '/credentials/test', { credentials: { ...credential, data } });
		await client
			.request('POST', '/dynamic-node-parameters/resource-locator-results', {
				path: 'parameters.projectId',
				methodName: 'searchProjects',
				nodeTypeAndVersion: { name: `${PACKAGE}.videoGeneration`, version: 1 },
				currentNodeParameters: {},
				...withCredentials(credential),
			})
			.catch(() => undefined);
	});

	test('is used by a trigger whose service refuses it', async () => {
		const { client, sandbox } = real;
		sandbox.addFault({ kind: 'status', status: 401, message: `No such key: ${KEY}` });
		const workflow = await client.createWorkflow(buildTrigger());
		await client.activateWorkflow(workflow);
		await sandbox.waitForRequests({ operation: 'video.getAll', count: 1, timeoutMs: POLL_MS });
		await client.deactivateWorkflow(workflow.id);
	});

	test('is in no reply of n8n, no execution, no file, no log and no database', async () => {
		const { client } = real;
		const path = '/executions?limit=100';
		const { results } = await client.request<{ results: { id: string }[] }>('GET', path);
		for (const { id } of results) await client.getExecution(id);
		// A page holds a hundred executions, so these are all.
		expect(results.length).toBeLessThan(100);
		for (const { id } of await client.request<Credential[]>('GET', '/credentials')) {
			await client.request('GET', `/credentials/${id}?includeData=true`);
		}
		expect(replies.filter((reply) => hasKey(reply))).toEqual([]);
		expect(findFiles()).toEqual([]);
	});

	test('is found in all of them once it is put there, so that the search is worth something', async () => {
		for (const before of ['', ':', 'Bearer ']) {
			expect(hasKey(Buffer.from(`${before}${KEY}!`).toString('base64'))).toBe(true);
		}
		replies.length = 0;
		// n8n logs which nodes it starts.
		const plant = makeItems([{ key: KEY }], `Plant ${KEY}`);
		const file: WorkflowStep = {
			name: 'File',
			type: 'n8n-nodes-base.convertToFile',
			typeVersion: 1.1,
			parameters: { operation: 'toText', sourceProperty: 'key' },
		};
		const execution = await run(...plant, file);
		const replyOfExecution = (reply: string) => reply.includes(`"id":"${execution.id}"`);
		expect(replies.filter((reply) => hasKey(reply)).some(replyOfExecution)).toBe(true);
		const expectFile = (name: RegExp) => expect.stringMatching(name) as string;
		expect(findFiles()).toEqual(
			expect.arrayContaining([
				expectFile(/^n8n\.log$/),
				expectFile(/database\.sqlite/),
				expectFile(/storage.+binary_data/),
			]),
		);
	});
});

test("n8n's redaction hides the prompt of a failed execution, but not the queue ID that it keeps for a retry", async () => {
	const { client, sandbox } = real;
	sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth: 2 });
	const rows = ['Secret one', 'Secret two'].map((prompt) => ({ prompt }));
	const { id } = await run(...makeItems(rows), node('Add', OPERATIONS['queue.add']));
	const readData = async (query: string) =>
		(await client.request<{ data: string }>('GET', `/executions/${id}${query}`)).data;
	expect(await readData('')).toContain('Secret one');
	const redacted = await readData('?redactExecutionData=true');
	expect(redacted).not.toContain('Secret');
	expect(redacted).toContain(sandbox.charges[0]?.queueId);
});

test('n8n listens on the loopback address alone', async () => {
	// What listens on all addresses of this machine answers here, too.
	const elsewhere = real.client.address.replace('127.0.0.1', '127.0.0.2');
	const answer = axios.get(elsewhere, { proxy: false });
	await expect(answer).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});

describe('The HTTP Request node with the credential', () => {
	const other = useFileHost();
	const ask = (typeVersion: number, options: object, index = 0): WorkflowStep => ({
		name: `Ask ${index}, version ${typeVersion}`,
		type: 'n8n-nodes-base.httpRequest',
		typeVersion,
		parameters: {
			url: `${real.sandbox.url}/v1/user/account`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'videoGenerationApi',
			options,
		},
		...withCredentials(real.credential),
		settings: { onError: 'continueRegularOutput', alwaysOutputData: true },
	});

	test('reads the account in each of its versions, and follows no redirect and no next page to another host with the key', async () => {
		const following = {
			redirect: { redirect: { followRedirects: true, maxRedirects: 9 } },
			sendCredentialsOnCrossOriginRedirect: true,
		};
		const steps = [
			ask(2, { followRedirect: true, followAllRedirects: true }),
			...[3, 4, 4.1, 4.2, 4.3, 4.4, 4.5].flatMap((version) => [
				ask(version, {}, 1),
				ask(version, following, 2),
			]),
		];
		const execution = await run(...steps);
		const { email } = real.sandbox.accounts.main;
		const items = steps.map(({ name }) => [name, JSON.stringify(readItems(execution, name))]);
		const withEmail = expect.stringContaining(email) as string;
		expect(items).toEqual(steps.map(({ name }) => [name, withEmail]));
		const pagination = {
			paginationMode: 'responseContainsNextURL',
			nextURL: `=${other.url}/next`,
			paginationCompleteWhen: 'responseIsEmpty',
			limitPagesFetched: true,
			maxRequests: 2,
		};
		const paging = ask(4.5, { pagination: { pagination } });
		expect(readItems(await run(paging), paging.name)[0]?.json.error).toBeDefined();
		real.sandbox.clearRequests();
		real.sandbox.addFault({ kind: 'redirect', location: other.url, operation: 'account.get' });
		await run(...steps);
		expect(real.sandbox.requests.map(({ status }) => status)).toEqual(steps.map(() => 302));
		expect(other.requests).toEqual([]);
	});
});
