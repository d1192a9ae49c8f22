import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { Credential, WorkflowContent } from '../../../scripts/n8n/n8nTypes';
import type { FaultSpec } from '../../../sandbox/faults/FaultSpec';
import { buildAgent } from '../../support/e2e/buildAgent';
import {
	buildWorkflow,
	makeItems,
	START,
	videoGeneration,
	videoGenerationTrigger,
	type WorkflowStep,
} from '../../support/e2e/buildWorkflow';
import { escapeEntities, KeySearch } from './KeySearch';
import { KEY, real } from './n8n';
import { PACKAGE } from '../../support/e2e/PLACES';
import { DOWNLOAD } from '../../support/engine/OPERATIONS';
import { readItems, runContent } from '../../support/e2e/runContent';
import { useScriptedModel } from '../../support/e2e/useScriptedModel';
import { waitFor } from '../../../scripts/waitFor';

const PROJECT = { __rl: true, mode: 'id', value: 'project-product-teaser' };
const POLL_MS = 60_000;
const inLowerCase = (text: string) =>
	encodeURIComponent(text).replace(/%../g, (escape) => escape.toLowerCase());

const node = (name: string, parameters: object, settings = {}) =>
	videoGeneration(name, real.credential, { ...parameters }, settings);
const run = async (...steps: WorkflowStep[]) =>
	await runContent(real.client, buildWorkflow('Security', [START, ...steps]));

/** Builds a trigger that outputs all videos, with their files, when it is published. */
const trigger = (credential: Credential) =>
	videoGenerationTrigger('Trigger', credential, { emitExisting: true, downloadVideo: true });

/**
 * Publishes a workflow until its trigger has started an execution. @returns the trigger's output
 */
async function runTrigger() {
	const { client, n8n } = real;
	const workflow = await client.createWorkflow(
		buildWorkflow('Trigger', [trigger(real.credential)]),
	);
	await client.activateWorkflow(workflow);
	const isOver = async () => Boolean((await n8n.listExecutions(workflow.id))[0]?.stoppedAt);
	await waitFor('the execution that the trigger starts', isOver, POLL_MS);
	await client.deactivateWorkflow(workflow.id);
	const [execution] = await n8n.listExecutions(workflow.id);
	return execution ? readItems(execution, 'Trigger') : [];
}

describe("With n8n's SSRF protection on", () => {
	const BLOCKED = "n8n blocks requests to the video's address";
	const received: (string | undefined)[] = [];
	/** A server that must not be reached, in the private range 127.0.0.0/8. */
	const inner = http.createServer((request, response) => {
		received.push(request.url);
		response.end('secret');
	});
	const innerUrl = () => `http://127.0.0.2:${(inner.address() as AddressInfo).port}`;

	beforeAll(async () => {
		await new Promise<void>((resolve) => inner.listen(0, '127.0.0.2', resolve));
	});
	afterAll(async () => {
		expect(received).toEqual([]);
		await new Promise((resolve) => inner.close(resolve));
	});

	test('Video > Download refuses private addresses and says whom to ask', async () => {
		const urls = [
			`${innerUrl()}/a.mp4?token=x`,
			`${innerUrl().replace('127.0.0.2', '2130706434')}/a.mp4`,
			`${innerUrl().replace('127.0.0.2', '[::ffff:127.0.0.2]')}/a.mp4`,
			'http://169.254.169.254/latest/meta-data/',
			'http://10.0.0.1/a.mp4',
			'http://[fd00::1]/a.mp4',
		];
		const execution = await run(
			...makeItems(urls.map((url) => ({ url }))),
			node('Download', DOWNLOAD, { onError: 'continueRegularOutput' }),
		);
		const items = readItems(execution, 'Download').map(({ json }) => json);
		expect(items.map(({ error }) => error)).toEqual(urls.map(() => BLOCKED));
		expect(items[0]?.message).toBe(
			`n8n's SSRF protection blocks ${innerUrl()}/a.mp4, or where it redirects to: a private network, or this host. Check 'Video' of this item. If the address is right, ask your n8n administrator to allow it in N8N_SSRF_ALLOWED_HOSTNAMES or N8N_SSRF_ALLOWED_IP_RANGES.`,
		);
	});

	test('Video > Download follows no redirect to a private address', async () => {
		const { sandbox } = real;
		sandbox.addFault({
			kind: 'redirect',
			location: `${innerUrl()}/b.mp4`,
			operation: 'video.file',
		});
		const [log] = sandbox.addVideos('main', [{}]);
		const videoUrl = `${sandbox.url}/files/${log?.id}.mp4`;
		const execution = await run(node('Download', { ...DOWNLOAD, video: videoUrl }));
		expect(execution.data.resultData.error).toMatchObject({
			message: BLOCKED,
			description: expect.stringContaining('or where it redirects to') as string,
		});
	});

	test('the trigger hands on a video in a private range without its file, and says why', async () => {
		const { sandbox } = real;
		sandbox.addVideos('main', [
			{ id: 'inner', url: `${innerUrl()}/c.mp4`, createdAt: '2026-01-01T00:00:00Z' },
			{ id: 'outer', createdAt: '2026-01-02T00:00:00Z' },
		]);
		const [forbidden, allowed] = await runTrigger();
		expect(forbidden?.binary).toBeUndefined();
		expect(forbidden?.json).toMatchObject({
			id: 'inner',
			downloadError: {
				message: BLOCKED,
				description: expect.stringContaining('N8N_SSRF_ALLOWED') as string,
			},
		});
		expect(allowed?.binary?.data).toMatchObject({ fileName: 'outer.mp4' });
	});

	test('a service in a private range is refused with the name of the field', async () => {
		const credential = await real.client.createCredential({
			name: 'Inner',
			type: 'videoGenerationApi',
			data: { apiKey: KEY, baseUrl: innerUrl() },
		});
		const step = videoGeneration('Account', credential, { resource: 'account', operation: 'get' });
		const execution = await run(step);
		expect(execution.data.resultData.error).toMatchObject({
			message: "n8n blocks requests to the video service's address",
			description: expect.stringMatching(/'Base URL'.*N8N_SSRF_ALLOWED_IP_RANGES/) as string,
		});
	});
});

describe("The credential's key", () => {
	const search = new KeySearch(KEY);
	const chat = useScriptedModel(real);
	const { model } = chat;
	/** All responses of n8n, as its editor receives them. */
	const replies: string[] = [];
	/** One for each way in which n8n gets and keeps the service's words. */
	const FAULTS: FaultSpec[] = [
		{ kind: 'status', status: 401, message: `No such key: ${KEY}`.padStart(305, 'x') },
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

	const ADD = { resource: 'queue', operation: 'add', projectId: PROJECT, options: { maxTries: 1 } };
	const GENERATE = { ...ADD, resource: 'video', operation: 'generate', downloadVideo: false };
	const ACCOUNT = { resource: 'account', operation: 'get', options: { maxTries: 1 } };
	test('is used by successful runs: a whole video, a trigger, an agent, a pinned output', async () => {
		const { client, sandbox } = real;
		sandbox.configure({ durations: { pendingMs: 100, processingMs: 100, renderingMs: 100 } });
		const execution = await run(
			...makeItems([{}, {}]),
			node('Account', ACCOUNT),
			node('Projects', { resource: 'project', operation: 'getAll', limit: 1 }),
			node('Generate', { ...GENERATE, waitOptions: { pollingInterval: 1, listingDelay: 1 } }),
			node('Videos', { resource: 'video', operation: 'getAll' }),
			node('Download', DOWNLOAD),
		);
		expect(execution.status).toBe('success');
		expect(await runTrigger()).not.toEqual([]);
		const byHand = buildWorkflow('By hand', [trigger(real.credential)]);
		const { id } = await client.createWorkflow(byHand);
		await client.waitForExecution(await client.runWorkflow(id, 'Trigger'), POLL_MS);

		const pinned: WorkflowContent & { pinData: object } = {
			...buildWorkflow('Pinned', [START, node('Account', ACCOUNT)]),
			pinData: { Account: readItems(execution, 'Account').map(({ json }) => ({ json })) },
		};
		await client.createWorkflow(pinned);
		sandbox.addFault({ kind: 'status', status: 401, message: KEY, operation: 'queue.add', nth: 2 });
		const call = { tool: 'Add', input: {} };
		model.play([[call], [call], 'Done']);
		await runContent(client, buildAgent(chat.credential, [node('Add', ADD)]));
		expect(model.toolResults).toHaveLength(2);
		expect(search.isIn(JSON.stringify(model.requests))).toBe(false);
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
		const { id, name, type } = credential;
		const data = { apiKey: KEY, baseUrl: sandbox.url };
		await client.request('POST', '/credentials/test', { credentials: { id, name, type, data } });
		await client
			.request('POST', '/dynamic-node-parameters/resource-locator-results', {
				path: 'parameters.projectId',
				methodName: 'searchProjects',
				nodeTypeAndVersion: { name: `${PACKAGE}.videoGeneration`, version: 1 },
				currentNodeParameters: {},
				credentials: { [type]: { id, name } },
			})
			.catch(() => undefined);
	});

	test('is used by a trigger whose service refuses it', async () => {
		const { client, sandbox } = real;
		sandbox.addFault({ kind: 'status', status: 401, message: `No such key: ${KEY}` });
		const workflow = await client.createWorkflow(
			buildWorkflow('Refused', [trigger(real.credential)]),
		);
		await client.activateWorkflow(workflow).catch(() => undefined);
		await sandbox.waitForRequests({ operation: 'video.getAll', count: 1, timeoutMs: POLL_MS });
		await client.deactivateWorkflow(workflow.id);
	});

	test('is in no reply of n8n, no execution, no file, no log and no database', async () => {
		const { client, n8n } = real;
		const { results } = await client.request<{ results: { id: string }[] }>(
			...(['GET', '/executions?limit=100'] as const),
		);
		for (const { id } of results) await client.getExecution(id);
		// A page holds a hundred executions, so these are all.
		expect(results.length).toBeLessThan(100);
		for (const { id } of await client.request<Credential[]>('GET', '/credentials')) {
			await client.request('GET', `/credentials/${id}?includeData=true`);
		}
		expect(replies.filter((reply) => search.isIn(reply))).toEqual([]);
		expect(search.findFiles(n8n.userFolder)).toEqual([]);
	});

	test('is found in all of them once it is put there, so that the search is worth something', async () => {
		replies.length = 0;
		// n8n logs which nodes it starts.
		const plant = makeItems([{ key: KEY }], `Plant ${KEY}`);
		const file: WorkflowStep = {
			...{ name: 'File', type: 'n8n-nodes-base.convertToFile', typeVersion: 1.1 },
			parameters: { operation: 'toText', sourceProperty: 'key' },
		};
		const execution = await run(...plant, file);
		const replyOfExecution = (reply: string) => reply.includes(`"id":"${execution.id}"`);
		expect(replies.filter((reply) => search.isIn(reply)).some(replyOfExecution)).toBe(true);
		const expectFile = (name: RegExp) => expect.stringMatching(name) as string;
		expect(search.findFiles(real.n8n.userFolder)).toEqual(
			expect.arrayContaining([
				expectFile(/^n8n\.log$/),
				expectFile(/database\.sqlite/),
				expectFile(/storage.+binary_data/),
			]),
		);
	});

	test.each([
		['as it is', KEY],
		['in a header', `Bearer ${KEY}`],
		['in a link', `?key=${encodeURIComponent(KEY)}`],
		['in a link in lower case', `?key=${inLowerCase(KEY)}`],
		['in a link within a link', encodeURIComponent(`?key=${encodeURIComponent(KEY)}`)],
		['in JSON', KEY.replaceAll('/', '\\/')],
		['in HTML', escapeEntities(KEY)],
		['in base64', Buffer.from(KEY).toString('base64')],
		['in base64 after one letter', Buffer.from(`:${KEY}`).toString('base64')],
		['in base64 of a header', Buffer.from(`Bearer ${KEY}!`).toString('base64')],
	])('is found %s', (_how, text) => {
		expect(search.isIn(`before ${text} after`)).toBe(true);
	});
});

describe('The HTTP Request node with the credential', () => {
	const received: http.IncomingMessage[] = [];
	const other = http.createServer((request, response) => {
		received.push(request);
		response.setHeader('content-type', 'application/json').end('{}');
	});
	const otherUrl = () => `http://127.0.0.1:${(other.address() as AddressInfo).port}`;

	beforeAll(async () => {
		await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve));
	});
	afterAll(async () => {
		await new Promise((resolve) => other.close(resolve));
	});

	const FOLLOWING = {
		redirect: { redirect: { followRedirects: true, maxRedirects: 9 } },
		sendCredentialsOnCrossOriginRedirect: true,
	};
	const ask = (typeVersion: number, options: object, name = 'Ask'): WorkflowStep => ({
		...{ name, type: 'n8n-nodes-base.httpRequest', typeVersion },
		parameters: {
			url: `${real.sandbox.url}/v1/user/account`,
			authentication: 'predefinedCredentialType',
			nodeCredentialType: 'videoGenerationApi',
			options,
		},
		credentials: { videoGenerationApi: { id: real.credential.id, name: real.credential.name } },
		settings: name === 'Ask' ? {} : { onError: 'continueRegularOutput', alwaysOutputData: true },
	});

	test('reads the account in each of its versions, and follows no redirect with the key', async () => {
		const versions: [number, object][] = [
			[2, { followRedirect: true, followAllRedirects: true }],
			...[3, 4, 4.1, 4.2, 4.3, 4.4, 4.5].flatMap((version): [number, object][] => [
				[version, {}],
				[version, FOLLOWING],
			]),
		];
		const steps = versions.map(([version, options], index) =>
			ask(version, options, `Ask ${index}, version ${version}`),
		);
		const execution = await run(...steps);
		const { email } = real.sandbox.accounts.main;
		for (const { name } of steps) {
			expect([name, JSON.stringify(readItems(execution, name))]).toEqual([
				name,
				expect.stringContaining(email),
			]);
		}
		real.sandbox.addFault({ kind: 'redirect', location: otherUrl(), operation: 'account.get' });
		await run(...steps);
		const asked = real.sandbox.requests.filter(({ operation }) => operation === 'account.get');
		expect(asked.map(({ status }) => status)).toEqual([
			...steps.map(() => 200),
			...steps.map(() => 302),
		]);
		expect(received).toEqual([]);
	});

	test('follows no next page to another host with the key', async () => {
		const pagination = {
			pagination: {
				paginationMode: 'responseContainsNextURL',
				nextURL: `=${otherUrl()}/next`,
				...{ paginationCompleteWhen: 'responseIsEmpty', limitPagesFetched: true, maxRequests: 2 },
			},
		};
		const execution = await run(ask(4.5, { pagination }));
		expect(execution.status).toBe('error');
		expect(received).toEqual([]);
	});
});
