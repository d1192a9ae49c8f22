import type { AxiosResponse } from 'axios';
import type { Sandbox } from '../../../../sandbox/Sandbox';
import { readVideoFile } from '../../../../sandbox/files/readVideoFile';
import { startSandbox } from '../../../../sandbox/startSandbox';
import { createBareClient } from '../../../support/sandbox/createBareClient';

let sandbox: Sandbox;
let path: string;
const teaser = readVideoFile('product-teaser');

beforeAll(async () => {
	sandbox = await startSandbox();
	const [video] = sandbox.addVideos('main', [{ projectId: sandbox.projects.teaser.id }]);
	path = `/files/${String(video?.id)}.mp4`;
});
afterAll(() => sandbox.close());

const get = (url: string, headers: Record<string, string> = {}): Promise<AxiosResponse<Buffer>> =>
	createBareClient(sandbox).get<Buffer>(url, {
		headers: { Authorization: undefined, ...headers },
		responseType: 'arraybuffer',
	});

it('a finished video is served to anyone, with its type and length', async () => {
	const reply = await get(path);
	expect(reply.status).toBe(200);
	expect(reply.headers).toMatchObject({
		...{ 'content-type': 'video/mp4', 'accept-ranges': 'bytes' },
		'content-length': String(teaser.length),
	});
	expect(reply.data.equals(teaser)).toBe(true);
	expect(sandbox.requests.at(-1)).toMatchObject({ operation: 'video.file', url: path });
});
it('a queued video is served from the moment it is finished', async () => {
	const client = createBareClient(sandbox);
	await client.post('/v1/queue/add', { projectId: sandbox.projects.tour.id });
	const [item] = sandbox.readState().queue;
	const file = `/files/${String(item?.videoId)}.mp4`;
	expect((await get(file)).status).toBe(404);
	sandbox.clock.advance(8000);
	expect((await get(file)).data.equals(readVideoFile('city-tour'))).toBe(true);
});
it('parts of it can be asked for', async () => {
	const part = await get(path, { Range: 'bytes=4-7' });
	expect(part.status).toBe(206);
	expect(part.data.toString()).toBe('ftyp');
	expect(part.headers).toMatchObject({
		...{ 'content-range': `bytes 4-7/${teaser.length}`, 'content-length': '4' },
	});
	const outside = await get(path, { Range: `bytes=${teaser.length}-` });
	expect(outside.status).toBe(416);
	expect(outside.headers['content-range']).toBe(`bytes */${teaser.length}`);
});
it('its head can be asked for', async () => {
	const reply = await createBareClient(sandbox).head(path);
	expect(reply.status).toBe(200);
	expect(reply.headers).toMatchObject({
		...{ 'content-type': 'video/mp4', 'content-length': String(teaser.length) },
	});
});
it('it comes in any size', async () => {
	const whole = await get(`${path}?sizeBytes=300000`);
	expect(whole.headers['content-length']).toBe('300000');
	expect(whole.data).toHaveLength(300_000);
	const part = await get(`${path}?sizeBytes=4294967296`, { Range: 'bytes=4294967000-' });
	expect(part.status).toBe(206);
	expect(part.data).toEqual(Buffer.alloc(296));
});
it.each(['1', '99999999999', 'x', String(teaser.length + 7)])(
	'a size of %s is refused',
	async (sizeBytes) => {
		expect((await get(`${path}?sizeBytes=${sizeBytes}`)).status).toBe(400);
	},
);
it('there is nothing else to be had', async () => {
	for (const name of ['unknown.mp4', 'product-teaser.mp4', '..%2freadVideoFile.ts', '']) {
		expect((await get(`/files/${name}`)).status).toBe(404);
	}
});
