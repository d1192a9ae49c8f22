import type { AxiosResponse } from 'axios';
import { createSandboxClient } from '../../support/sandbox/createSandboxClient';
import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

const service = useSandboxClient();

/** Fetches a list, unless it is still the one with this tag. */
async function fetchList(tag?: string, url = '/v1/videos'): Promise<AxiosResponse<unknown>> {
	const headers = tag === undefined ? {} : { 'If-None-Match': tag };
	return await createSandboxClient(service.sandbox).get(url, { headers });
}
const getTag = async (url?: string) => String((await fetchList(undefined, url)).headers.etag);
const getStatus = async (tag: string) => (await fetchList(tag)).status;

describe.each(['/v1/videos', '/v1/projects'])('GET %s', (url) => {
	it('has a strong tag, and no body for a client that has it already', async () => {
		const tag = await getTag(url);
		expect(tag).toMatch(/^"[\w-]+"$/);
		const reply = await fetchList(tag, url);
		expect([reply.status, reply.data]).toEqual([304, '']);
		expect(reply.headers).toMatchObject({ etag: tag, 'x-ratelimit-remaining': '98' });
		expect(reply.headers).not.toHaveProperty('content-type');
		expect(reply.headers).not.toHaveProperty('content-length');
		expect(service.sandbox.requests.at(-1)).toMatchObject({ status: 304 });
	});
});

it('a list that has changed has another tag, and comes as a whole', async () => {
	const tag = await getTag();
	service.sandbox.addVideos('main', [{}]);
	const reply = await fetchList(tag);
	expect(reply).toMatchObject({ status: 200, data: { videos: [{}] } });
	expect(reply.headers.etag).not.toBe(tag);
});
it('tags are compared weakly, one by one', async () => {
	const tag = await getTag();
	for (const same of [`W/${tag}`, `"other", ${tag}`, `"a,b",W/${tag} , "c"`, ' * ']) {
		expect(await getStatus(same)).toBe(304);
	}
	for (const other of ['', '"other"', tag.replaceAll('"', ''), '"*"']) {
		expect(await getStatus(other)).toBe(200);
	}
});
it('only good replies are tagged, and a refused one is never 304', async () => {
	const tag = await getTag();
	service.sandbox.configure({ rateLimit: { max: 1, windowMs: 1000 } });
	const refused = await fetchList(tag);
	expect(refused.status).toBe(429);
	expect(refused.headers).not.toHaveProperty('etag');
	expect((await fetchList('*', '/v1/user/account')).headers).not.toHaveProperty('etag');
});

describe('The setting `etags`', () => {
	it('`none`: no tag, no 304', async () => {
		service.sandbox.configure({ etags: 'none' });
		const reply = await fetchList('*');
		expect(reply.status).toBe(200);
		expect(reply.headers).not.toHaveProperty('etag');
	});
	it('`weak`: a weak tag that changes with the list', async () => {
		service.sandbox.configure({ etags: 'weak' });
		const tag = await getTag();
		expect(tag).toMatch(/^W\/"[\w-]+"$/);
		expect(await getStatus(tag)).toBe(304);
		expect(await getStatus(tag.replace('W/', ''))).toBe(304);
		service.sandbox.addVideos('main', [{}]);
		expect(await getStatus(tag)).toBe(200);
	});
	it('`constant`: one tag that never changes, and 304 for it', async () => {
		service.sandbox.configure({ etags: 'constant' });
		const tag = await getTag();
		service.sandbox.addVideos('main', [{}]);
		expect(await getTag()).toBe(tag);
		expect(await getStatus(tag)).toBe(304);
		expect(await getStatus('"other"')).toBe(200);
	});
	it('`alwaysNotModified`: 304 for every tag', async () => {
		service.sandbox.configure({ etags: 'alwaysNotModified' });
		expect(await getStatus('"other"')).toBe(304);
		expect((await fetchList()).status).toBe(200);
	});
	it('is a setting like others: an option, in the state, by HTTP', async () => {
		const change = (etags: string) => service.client.patch('/_sandbox/settings', { etags });
		expect((await change('weak')).data).toMatchObject({ etags: 'weak' });
		expect((await change('strange')).status).toBe(400);
		service.sandbox.reset();
		expect(service.sandbox.readState().settings).toMatchObject({ etags: 'strong' });
	});
});

it('faults meet a 304 as they meet any reply', async () => {
	const tag = await getTag();
	service.sandbox.addFault({ kind: 'latency', delayMs: 1, phase: 'after' });
	service.sandbox.addFault({ kind: 'missingField', field: 'videos' });
	const reply = await fetchList(tag);
	expect([reply.status, reply.data]).toEqual([304, '']);
	expect(reply.headers).not.toHaveProperty('content-length');
	service.sandbox.addFault({ kind: 'reset', phase: 'after' });
	await expect(fetchList(tag)).rejects.toMatchObject({ code: 'ECONNRESET' });
});
