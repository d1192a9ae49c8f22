import { createClient, useSandboxClient } from '../../support/sandbox/useSandboxClient';

// The engine tests notice what most faults do, and to which requests.

const service = useSandboxClient();

test('A fault precedes the check of the key, and finds a text in a body as well', async () => {
	service.sandbox.addFault({ kind: 'status', status: 503, containing: 'city-tour' });
	const add = async (projectId: string) =>
		(await createClient(service.sandbox, 'wrong').post('/v1/queue/add', { projectId })).status;
	expect([await add('project-city-tour'), await add('other')]).toEqual([503, 401]);
});

test('Faults add up in their order, and one of an unknown kind is refused', async () => {
	service.sandbox.addFault({ kind: 'extraFields', fields: { note: 'a' } });
	service.sandbox.addFault({ kind: 'missingField', field: 'videos' });
	service.sandbox.addFault({ kind: 'contentType', value: 'text/json' });
	const { headers, data } = await service.client.get<unknown>('/v1/videos');
	expect(headers['content-type']).toBe('text/json');
	expect(data).toEqual({ status: 'success', message: 'No videos were found', note: 'a' });
	const addFault = service.sandbox.addFault as (spec: object) => number;
	expect(() => addFault({ kind: 'toString' })).toThrow(/^A fault's kind is one of .*cutOff/);
});

test('Odd entries come before, between and after the entries of a list', async () => {
	service.sandbox.addVideos('main', [{ id: 'first' }]);
	service.sandbox.addFault({ kind: 'oddEntries', entries: [7, []] });
	const { data } = await service.client.get<unknown>('/v1/videos');
	expect(data).toMatchObject({ videos: [7, { id: 'first' }, []] });
});
