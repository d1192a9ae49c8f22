import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import type { AxiosResponse } from 'axios';
import { SEED_PROJECTS } from '../../../sandbox/domain/SEED_PROJECTS';
import { readVideoFile, streamPaddedVideo } from '../../../sandbox/files/readVideoFile';
import { parseRange } from '../../../sandbox/http/fileRoutes';
import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

const service = useSandboxClient();
const teaser = readVideoFile('product-teaser');
const pictures = readdirSync(join(__dirname, '../../../sandbox/files'))
	.filter((name) => name.endsWith('.mp4'))
	.map((name) => name.replace('.mp4', ''));

const get = (url: string, headers: Record<string, string> = {}): Promise<AxiosResponse<Buffer>> =>
	service.client.get<Buffer>(url, {
		headers: { Authorization: undefined, ...headers },
		responseType: 'arraybuffer',
	});
const addVideo = (): string =>
	`/files/${String(service.sandbox.addVideos('main', [{}])[0]?.id)}.mp4`;

describe('A finished video', () => {
	it('is served without a key, with its type and length', async () => {
		const path = addVideo();
		const reply = await get(path);
		expect(reply.status).toBe(200);
		expect(reply.headers).toMatchObject({
			...{ 'content-type': 'video/mp4', 'accept-ranges': 'bytes' },
			'content-length': String(teaser.length),
		});
		expect(reply.data.equals(teaser)).toBe(true);
		expect(service.sandbox.requests).toMatchObject([{ operation: 'video.file', url: path }]);
	});
	it('is served as soon as it is finished', async () => {
		await service.queue(service.sandbox.projects.tour.id);
		const file = `/files/${String(service.sandbox.charges[0]?.videoId)}.mp4`;
		expect((await get(file)).status).toBe(404);
		service.sandbox.clock.advance(8000);
		expect((await get(file)).data.equals(readVideoFile('city-tour'))).toBe(true);
	});
	it('is served in parts', async () => {
		const path = addVideo();
		const part = await get(path, { Range: 'bytes=4-7' });
		expect([part.status, part.data.toString()]).toEqual([206, 'ftyp']);
		expect(part.headers).toMatchObject({
			...{ 'content-range': `bytes 4-7/${teaser.length}`, 'content-length': '4' },
		});
		const outside = await get(path, { Range: `bytes=${teaser.length}-` });
		expect(outside.status).toBe(416);
		expect(outside.headers['content-range']).toBe(`bytes */${teaser.length}`);
	});
	it('has a head', async () => {
		const { status, headers } = await service.client.head(addVideo());
		expect([status, headers['content-type']]).toEqual([200, 'video/mp4']);
		expect(headers['content-length']).toBe(String(teaser.length));
	});
	it('comes in any size', async () => {
		const path = addVideo();
		const whole = await get(`${path}?sizeBytes=300000`);
		expect(whole.headers['content-length']).toBe('300000');
		expect(whole.data).toHaveLength(300_000);
		const part = await get(`${path}?sizeBytes=4294967296`, { Range: 'bytes=4294967000-' });
		expect(part.status).toBe(206);
		expect(part.data).toEqual(Buffer.alloc(296));
	});
	it.each(['1', '99999999999', 'x', String(teaser.length + 7)])(
		'does not come in a size of %s',
		async (sizeBytes) => {
			expect((await get(`${addVideo()}?sizeBytes=${sizeBytes}`)).status).toBe(400);
		},
	);
});

it.each(['unknown.mp4', 'product-teaser.mp4', '..%2freadVideoFile.ts', ''])(
	'There is no file "%s"',
	async (name) => {
		expect((await get(`/files/${name}`)).status).toBe(404);
	},
);

it.each([
	[undefined, null],
	['bytes=0-', { start: 0, end: 99 }],
	['bytes=0-0', { start: 0, end: 0 }],
	['bytes=10-19', { start: 10, end: 19 }],
	['bytes=90-500', { start: 90, end: 99 }],
	['bytes=-10', { start: 90, end: 99 }],
	['bytes=-500', { start: 0, end: 99 }],
	['bytes=100-', 'unsatisfiable'],
	['bytes=-0', 'unsatisfiable'],
	['bytes=19-10', null],
	['bytes=-', null],
	['bytes=0-1,5-6', null],
	['lines=1-2', null],
])('Range "%s" of 100 bytes', (header, range) => {
	expect(parseRange(header, 100)).toEqual(range);
});

/** Lists the types of the top-level boxes of an MP4, which must end with its last byte. */
function listBoxes(file: Buffer): string[] {
	const types: string[] = [];
	let at = 0;
	while (at < file.length) {
		types.push(file.toString('latin1', at + 4, at + 8));
		at += file.readUInt32BE(at);
	}
	expect(at).toBe(file.length);
	return types;
}

describe('The MP4s', () => {
	it('are three, and every project has one of them', () => {
		expect(pictures).toHaveLength(3);
		for (const { picture } of Object.values(SEED_PROJECTS)) expect(pictures).toContain(picture);
	});
	it.each(pictures)('%s is small and can be played while it loads', (picture) => {
		const file = readVideoFile(picture);
		const boxes = listBoxes(file);
		expect(boxes[0]).toBe('ftyp');
		expect(boxes.indexOf('moov')).toBeLessThan(boxes.indexOf('mdat'));
		expect(file.includes('avc1')).toBe(true);
		expect(file.length).toBeLessThan(20_000);
	});
	it('can be padded with a free box', async () => {
		const read = async (start: number, end: number) =>
			Buffer.concat(await streamPaddedVideo(teaser, 200_000, { start, end }).toArray());
		const padded = await read(0, 199_999);
		expect(padded).toHaveLength(200_000);
		expect(padded.subarray(0, teaser.length)).toEqual(teaser);
		expect(listBoxes(padded)).toEqual([...listBoxes(teaser), 'free']);
		expect(await read(9000, 12_000)).toEqual(padded.subarray(9000, 12_001));
	});
	it('cannot be padded with less than a box', () => {
		const range = { start: 0, end: 16 };
		expect(() => streamPaddedVideo(Buffer.alloc(10), 17, range)).toThrow(RangeError);
	});
});
