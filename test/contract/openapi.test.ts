import { randomUUID } from 'node:crypto';
import { Ajv2020 } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import type { AxiosRequestConfig } from 'axios';
import { type JsonObject, loadOpenApi } from '../support/sandbox/loadOpenApi';
import { createClient, useSandboxClient } from '../support/sandbox/useSandboxClient';

const ADD = '/v1/queue/add';
const CLEAR = '/v1/queue/clear';
const LISTS = [
	['GET', '/v1/videos'],
	['GET', '/v1/projects'],
] as const;
const LIMITED = [...LISTS, ['GET', '/v1/user/account']] as const;
const ENDPOINTS = [
	['POST', ADD],
	['GET', `/v1/queue/progress/${randomUUID()}`],
	['POST', CLEAR],
	...LIMITED,
] as const;
const projectId = 'project-product-teaser';

const service = useSandboxClient();
const openApi = loadOpenApi();

const ajv = new Ajv2020({ allErrors: true, strict: false });
addFormats(ajv);

/** Returns a schema that allows no field but those that it names. */
const forbidOthers = (schema: JsonObject) =>
	JSON.parse(JSON.stringify(schema), (_key, value: JsonObject | null) =>
		value?.properties && 'type' in value ? { ...value, additionalProperties: false } : value,
	) as JsonObject;

/** Rejects a reply that `docs/openapi.yaml` does not describe. @returns its name: `GET /v1/videos 200` */
async function check(
	[method, url]: [string, string],
	status: number,
	body: unknown,
	contentType = 'application/json',
) {
	const [path = ''] = url.split('?');
	const isAt = (template: string) =>
		new RegExp(`^${template.replace(/\{\w+\}/g, '[^/]*')}$`).test(path);
	const operation = (await openApi).find((each) => each.method === method && isAt(each.path));
	const name = `${method} ${operation?.path ?? url} ${status}`;
	const reply = operation?.responses[status];
	if (reply && !reply.content && body === '') return name;
	const described = reply?.content?.[contentType.split(';')[0] ?? ''];
	if (!described) throw new Error(`${name} (${contentType}) is not in docs/openapi.yaml`);
	if (!ajv.validate(forbidOthers(described.schema), body)) {
		throw new Error(`${name}: ${ajv.errorsText()}`);
	}
	return name;
}

const seen = new Set<string>();

/** Sends a request, and checks its reply. @returns its status */
async function send(
	method: string,
	url: string,
	data?: unknown,
	{ apiKey, ...config }: AxiosRequestConfig & { apiKey?: string } = {},
): Promise<number> {
	const client = createClient(service.sandbox, apiKey);
	const { status, headers, ...reply } = await client.request<unknown>({
		method,
		url,
		data,
		...config,
	});
	seen.add(await check([method, url], status, reply.data, String(headers['content-type'])));
	return status;
}

describe('Every reply of the sandbox is as docs/openapi.yaml describes it:', () => {
	test('a video from the order to the log', async () => {
		expect(await send('POST', ADD, { projectId })).toBe(200);
		const queueId = service.sandbox.charges[0]?.queueId ?? '';
		const progress = `/v1/queue/progress/${queueId}`;
		for (let second = 0; second < 10; second++) {
			expect(await send('GET', progress)).toBe(200);
			service.sandbox.clock.advance(1000);
		}
		expect(await send('GET', '/v1/videos')).toBe(200);
		expect(await send('POST', CLEAR, { queueId })).toBe(200);
		expect(await send('GET', progress)).toBe(404);
		expect(await send('POST', CLEAR, { queueId })).toBe(404);
	});

	test('accounts with and without projects, videos and credits', async () => {
		for (const { apiKey } of Object.values(service.sandbox.accounts)) {
			for (const url of ['videos', 'projects?sort=createdAt&order=asc', 'user/account']) {
				expect(await send('GET', `/v1/${url}`, undefined, { apiKey })).toBe(200);
			}
		}
		service.sandbox.setCredits('main', 0);
		expect(await send('POST', ADD, { projectId })).toBe(402);
	});

	test.each([
		['POST', CLEAR, {}],
		['POST', CLEAR, { queueId: 'not-an-id' }],
		['GET', '/v1/queue/progress/not-an-id', undefined],
		['GET', '/v1/projects?sort=name', undefined],
		['GET', '/v1/projects?order=up', undefined],
	])('the wrong request %s %s %j', async (method, url, body) => {
		expect(await send(method, url, body)).toBe(400);
	});

	test.each(ENDPOINTS)('a wrong key, and a server error, at %s %s', async (method, url) => {
		expect(await send(method, url, undefined, { apiKey: 'wrong' })).toBe(401);
		service.sandbox.addFault({ kind: 'status', status: 500 });
		expect(await send(method, url)).toBe(500);
	});

	test.each(LIMITED)('too many requests at %s %s', async (method, url) => {
		service.sandbox.configure({ rateLimit: { max: 1, windowMs: 1000 } });
		expect([await send(method, url), await send(method, url)]).toEqual([200, 429]);
	});

	test.each(LISTS)('an unchanged list at %s %s', async (method, url) => {
		const headers = { 'If-None-Match': '*' };
		expect(await send(method, url, undefined, { headers })).toBe(304);
	});

	// The documented bodies of an add, and those that are refused.
	test.each([
		[{ projectId }, 200],
		[{ projectId, overwriteSettings: false }, 200],
		[{ projectId, overwriteSettings: true, customPrompt: 'A cat' }, 200],
		[{ projectId, customPrompt: 'A cat' }, 200],
		[{ projectId, customPrompt: null }, 200],
		[{ projectId, overwriteSettings: false, customPrompt: '' }, 200],
		[{ projectId, somethingNew: 1 }, 200],
		[{}, 400],
		[[], 400],
		[null, 400],
		['projectId', 400],
		[{ projectId: null }, 400],
		[{ projectId: 7 }, 400],
		[{ projectId, overwriteSettings: 'true' }, 400],
		[{ projectId, overwriteSettings: true }, 400],
		[{ projectId, overwriteSettings: true, customPrompt: null }, 400],
		[{ projectId, overwriteSettings: true, customPrompt: ' \n' }, 400],
		[{ projectId, customPrompt: 7 }, 400],
	])('an add with %j: %i, as its schema says', async (body, status) => {
		const headers = { 'Content-Type': 'application/json' };
		expect(await send('POST', ADD, JSON.stringify(body), { headers })).toBe(status);
		const { requestBody } = (await openApi).find(({ path }) => path === ADD) ?? {};
		const schema = requestBody?.content['application/json']?.schema ?? false;
		expect(ajv.validate(schema, body)).toBe(status === 200);
	});

	test('and no described reply was left out above', async () => {
		const described = (await openApi).flatMap(({ method, path, responses }) =>
			Object.keys(responses).map((status) => `${method} ${path} ${status}`),
		);
		expect([...seen].sort()).toEqual(described.sort());
	});
});

test('The sandbox has exactly the endpoints that docs/openapi.yaml describes', async () => {
	const served = service.sandbox.routes.filter((route) => route.includes(' /v1/'));
	const described = (await openApi).map(({ method, path }) => `${method} ${path}`);
	expect(served.map((route) => route.replace(/:(\w+)/g, '{$1}')).sort()).toEqual(described.sort());
});

test('The examples in docs/openapi.yaml have the fields of their schemas and no other', async () => {
	const names: string[] = [];
	for (const { method, path, responses } of await openApi) {
		for (const [status, { content }] of Object.entries(responses)) {
			const { example = '', examples = { only: { value: example } } } =
				content?.['application/json'] ?? {};
			for (const { value } of Object.values(examples)) {
				names.push(await check([method, path], Number(status), value));
			}
		}
	}
	expect(names.length).toBeGreaterThan(25);
});

test('These tests would notice another field, a missing one, and a body where there is none', async () => {
	const endpoint: [string, string] = ['GET', '/v1/videos'];
	const body = { status: 'success', message: 'Nothing', videos: [] };
	expect(await check(endpoint, 200, body)).toBe('GET /v1/videos 200');
	await expect(check(endpoint, 200, { ...body, count: 0 })).rejects.toThrow();
	await expect(check(endpoint, 200, { ...body, videos: undefined })).rejects.toThrow();
	await expect(check(endpoint, 304, body)).rejects.toThrow();
});
