import type { FaultMatch } from '../../../sandbox/faults/FaultSpec';
import { createClient, useSandboxClient } from '../../support/sandbox/useSandboxClient';

const DOWN = { kind: 'status', status: 503 } as const;
const LIST = '/v1/videos';

/** The delays that the sandbox requested; the tests do not wait for them. */
const delays: number[] = [];

const service = useSandboxClient({
	wait: async (delayMs) => {
		delays.push(delayMs);
		return Promise.resolve();
	},
});
beforeEach(() => {
	delays.length = 0;
});

test.each<[string, FaultMatch, urls: string[], statuses: number[]]>([
	['every request by default', {}, [LIST, '/files/x.mp4', '/anything'], [503, 503, 503]],
	[
		'the operations that it names',
		{ operation: ['video.getAll', 'account.get'] },
		[LIST, '/v1/user/account', '/v1/projects'],
		[503, 503, 200],
	],
	[
		'the nth request',
		{ operation: 'video.getAll', nth: 2 },
		['/v1/projects', LIST, LIST, LIST],
		[200, 200, 503, 200],
	],
	[
		'so many requests, after so many others',
		{ skip: 1, times: 2 },
		[LIST, LIST, LIST, LIST],
		[200, 503, 503, 200],
	],
	['requests that contain a text', { containing: 'b=2' }, [LIST, `${LIST}?a=1&b=2`], [200, 503]],
])('A fault affects %s', async (_which, match, urls, statuses) => {
	service.sandbox.addFault({ ...DOWN, ...match });
	expect(await service.getStatuses(...urls)).toEqual(statuses);
});

test('A fault precedes the check of the key, and finds a text in a body as well', async () => {
	service.sandbox.addFault({ ...DOWN, containing: 'city-tour' });
	const add = async (projectId: string) =>
		(await createClient(service.sandbox, 'wrong').post('/v1/queue/add', { projectId })).status;
	expect([await add('project-city-tour'), await add('other')]).toEqual([503, 401]);
});

test('Faults add up in their order, and one of an unknown kind is refused', async () => {
	service.sandbox.addFault({ kind: 'extraFields', fields: { note: 'a' } });
	service.sandbox.addFault({ kind: 'missingField', field: 'videos' });
	service.sandbox.addFault({ kind: 'contentType', value: 'text/json' });
	const { headers, data } = await service.client.get<unknown>(LIST);
	expect(headers['content-type']).toBe('text/json');
	expect(data).toEqual({ status: 'success', message: 'No videos were found', note: 'a' });
	const addFault = service.sandbox.addFault as (spec: object) => number;
	expect(() => addFault({ kind: 'toString' })).toThrow(/^A fault's kind is one of .*cutOff/);
});

// The engine tests notice what other kinds do.
test('Odd entries come before, between and after the entries of a list', async () => {
	service.sandbox.addVideos('main', [{ id: 'first' }]);
	service.sandbox.addFault({ kind: 'oddEntries', entries: [7, []] });
	const { data } = await service.client.get<unknown>(LIST);
	expect(data).toMatchObject({ videos: [7, { id: 'first' }, []] });
});

test('A slow body arrives in pieces after its head, which is late by the latency', async () => {
	service.sandbox.configure({ latencyMs: 3000 });
	service.sandbox.addFault({ kind: 'latency', delayMs: 4000 });
	service.sandbox.addFault({ kind: 'slowBody', pieceBytes: 50, delayMs: 1000 });
	const { headers } = await service.client.get('/v1/user/account');
	const pieces = Math.ceil(Number(headers['content-length']) / 50);
	expect(delays).toEqual([3000, 4000, ...Array<number>(pieces).fill(1000)]);
});
