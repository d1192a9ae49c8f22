import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FAULT_KINDS } from '../../../sandbox/faults/FAULT_KINDS';
import { parseFaultSpec } from '../../../sandbox/faults/FaultSpec';
import { createBareClient } from '../../support/sandbox/createBareClient';
import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

const UNKNOWN = '00000000-0000-4000-8000-000000000000';

const service = useSandboxClient();

async function request(count: number, url = '/v1/videos'): Promise<number[]> {
	const statuses: number[] = [];
	for (let sent = 0; sent < count; sent++) statuses.push((await service.client.get(url)).status);
	return statuses;
}

describe('a fault concerns', () => {
	it('every request, when nothing else is said', async () => {
		service.sandbox.addFault({ kind: 'status', status: 503 });
		for (const url of ['/v1/videos', '/v1/projects', '/files/x.mp4', '/anything']) {
			expect(await request(1, url)).toEqual([503]);
		}
	});
	it('but never the control routes', async () => {
		service.sandbox.addFault({ kind: 'status', status: 503 });
		expect(await request(1, '/_sandbox/state')).toEqual([200]);
	});
	it('the operations it names', async () => {
		service.sandbox.addFault({
			kind: 'status',
			status: 503,
			operation: ['video.getAll', 'account.get'],
		});
		expect(await request(1)).toEqual([503]);
		expect(await request(1, '/v1/user/account')).toEqual([503]);
		expect(await request(1, '/v1/projects')).toEqual([200]);
	});
	it('only the nth request', async () => {
		service.sandbox.addFault({ kind: 'status', status: 503, operation: 'video.getAll', nth: 3 });
		await request(3, '/v1/projects');
		expect(await request(5)).toEqual([200, 200, 503, 200, 200]);
	});
	it('so many requests, after so many', async () => {
		service.sandbox.addFault({ kind: 'status', status: 503, skip: 1, times: 2 });
		expect(await request(5)).toEqual([200, 503, 503, 200, 200]);
	});
	it('requests that contain a text in their path', async () => {
		service.sandbox.addFault({ kind: 'status', status: 503, containing: UNKNOWN });
		expect(await request(1, `/v1/queue/progress/${UNKNOWN}`)).toEqual([503]);
		expect(await request(1, '/v1/queue/progress/other')).toEqual([400]);
	});
	it('requests that contain a text in their body', async () => {
		service.sandbox.addFault({ kind: 'status', status: 503, containing: 'city-tour', nth: 2 });
		const statuses: number[] = [];
		for (const name of ['city-tour', 'product-teaser', 'city-tour', 'city-tour']) {
			const body = { projectId: `project-${name}` };
			statuses.push((await service.client.post('/v1/queue/add', body)).status);
		}
		expect(statuses).toEqual([200, 200, 503, 200]);
	});
});

describe('faults', () => {
	it('are met before the key is looked at, and before a request is counted', async () => {
		service.sandbox.configure({ rateLimit: { max: 1, windowMs: 1000 } });
		service.sandbox.addFault({ kind: 'status', status: 503, times: 2 });
		const stranger = createBareClient(service.sandbox, 'wrong');
		expect((await stranger.get('/v1/videos')).status).toBe(503);
		expect(await request(3)).toEqual([503, 200, 429]);
	});
	it('add up, in their order', async () => {
		service.sandbox.addFault({ kind: 'extraFields', fields: { note: 'a' } });
		service.sandbox.addFault({ kind: 'missingField', field: 'videos' });
		service.sandbox.addFault({ kind: 'contentType', value: 'text/json' });
		const reply = await service.client.get('/v1/videos');
		expect(reply.headers['content-type']).toBe('text/json');
		expect(reply.data).toEqual({
			...{ status: 'success', message: 'No videos were found', note: 'a' },
		});
	});
	it('can be removed one by one, all together, and by a reset', async () => {
		const first = service.sandbox.addFault({ kind: 'status', status: 503 });
		service.sandbox.addFault({ kind: 'status', status: 502 });
		expect(await request(1)).toEqual([503]);
		service.sandbox.removeFault(first);
		expect(await request(1)).toEqual([502]);
		service.sandbox.clearFaults();
		expect(await request(1)).toEqual([200]);
		service.sandbox.addFault({ kind: 'hang' });
		service.sandbox.reset();
		expect(await request(1)).toEqual([200]);
	});
});

it('every kind of fault is in the registry', () => {
	const files = readdirSync(join(__dirname, '../../../sandbox/faults'));
	const kinds = Object.keys(FAULT_KINDS);
	for (const kind of kinds) expect(files).toContain(`${kind}.ts`);
	expect(kinds).toHaveLength(27);
});
it.each([
	[{ kind: 'hang' }],
	[{ kind: 'status', status: 503, body: { any: 'thing' }, operation: 'queue.add', nth: 1 }],
	[{ kind: 'tooManyRequests', retryAfter: 'date', operation: ['queue.add', 'queue.clear'] }],
])('%j is a fault', (spec) => {
	expect(parseFaultSpec(spec)).toBe(spec);
});
it.each([
	[{}, /^A fault's kind is one of brokenHttp, brokenTls, .*wrongLength$/],
	[null, /kind is one of/],
	[{ kind: 'toString' }, /kind is one of/],
	[{ kind: 'status' }, /status: fault must have required property 'status'/],
	[{ kind: 'status', status: 99 }, /must be >= 200/],
	[{ kind: 'hang', fase: 'after' }, /additional properties/],
	[{ kind: 'hang', operation: 'queue.remove' }, /operation must be equal to one of/],
	[{ kind: 'hang', nth: 0 }, /nth must be >= 1/],
])('%j is refused', (spec, message) => {
	expect(() => parseFaultSpec(spec)).toThrow(message);
});
