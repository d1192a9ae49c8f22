import { createHash } from 'node:crypto';
import type http from 'node:http';
import type { OutgoingHttpHeaders } from 'node:http';
import { gzipSync } from 'node:zlib';
import type { IBinaryData, INodeParameters } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { readVideoFile } from '../../sandbox/files/readVideoFile';
import { ActiveTrigger, type PollResult } from '../support/n8nServer/ActiveTrigger';
import { DOWNLOAD } from '../support/engine/OPERATIONS';
import { ERROR_OUTPUT, runNode } from '../support/engine/runNode';
import { waitFor } from '../../scripts/waitFor';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { testWith } from '../support/engine/testWith';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useFileHost } from '../support/engine/useFileHost';
import { useSandbox } from '../support/engine/useSandbox';
import { like } from '../support/like';

const service = useSandbox();
const { addVideo } = service;
const host = useFileHost();
const store = useBinaryStore();
const VIDEO = readVideoFile('product-teaser');
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

const download = async (url: string, parameters: INodeParameters = {}) =>
	await service.run({ ...DOWNLOAD, ...parameters }, { items: [{ url }] });

const once = { options: { maxTries: 1 } };

/** Responds with the beginning of a video whose end does not come. */
const begin: http.RequestListener = (_request, response) =>
	response.writeHead(200, { 'content-length': VIDEO.length }).write(VIDEO.subarray(0, 1000));

const activate = async (options: object = {}, budgetMs?: number) => {
	const { url: baseUrl, apiKey } = service.sandbox;
	const trigger = await ActiveTrigger.create({
		credentials: { baseUrl, apiKey },
		parameters: { options: { downloadVideo: true, ...options } },
		budgetMs,
	});
	await trigger.activate();
	return trigger;
};

/** The host asks to wait for these seconds. */
const late = (seconds: string): FaultSpec => ({
	kind: 'status',
	status: 503,
	operation: 'video.file',
	headers: { 'retry-after': seconds },
});

/** Of a file that is given up, n8n's store deletes the part that it has stored a moment later. */
async function expectNothingStored() {
	await waitFor('an empty store', () => store.listFiles().length === 0, 10_000);
}

describe('Video > Download', () => {
	test('puts the file beside the fields and the files of its input', async () => {
		const other: IBinaryData = { data: 'bm90ZQ==', mimeType: 'text/plain', fileName: 'note.txt' };
		const { id, url } = addVideo('?signature=secret');
		const { items, found, error } = await service.run(DOWNLOAD, {
			items: [{ url, title: 'Teaser', error: 0 }],
			binary: { note: other },
		});
		expect(error).toBeUndefined();
		expect(items).toEqual([
			{
				json: { url, title: 'Teaser', serviceError: 0 },
				binary: {
					note: other,
					data: expect.objectContaining({
						fileName: `${id}.mp4`,
						fileExtension: 'mp4',
						fileType: 'video',
						mimeType: 'video/mp4',
						bytes: VIDEO.length,
						id: like(/^filesystem-v2:/),
					}) as IBinaryData,
				},
				pairedItem: { item: 0 },
			},
		]);
		expect(found.items).toEqual([{ url, title: 'Teaser', error: 0 }]);
		expect(await store.hash(items[0]?.binary?.data)).toBe(sha256(VIDEO));
		expect(store.listFiles()).toHaveLength(1);
	});

	test("puts it into the field that the user wants, with the chosen name and the host's type", async () => {
		service.sandbox.addFault({ kind: 'contentType', value: 'Video/X-M4V; codecs="avc1"' });
		const { items } = await download(addVideo().url, {
			binaryPropertyName: 'film',
			options: { fileName: '../my film' },
		});
		const mimeType = 'video/x-m4v';
		expect(items[0]?.binary?.film).toMatchObject({ fileName: '_my film.mp4', mimeType });
		expect(items[0]?.binary?.film).not.toHaveProperty('directory');
	});

	test.each<[string, OutgoingHttpHeaders, Buffer[]]>([
		['in drips', { 'content-length': VIDEO.length }, [VIDEO.subarray(0, 7), VIDEO.subarray(7)]],
		['without a length', {}, [VIDEO.subarray(0, 700), VIDEO.subarray(700)]],
		['packed', { 'content-encoding': 'gzip' }, [gzipSync(VIDEO)]],
	])('takes a video that comes %s', async (_how, headers, chunks) => {
		host.answer((_request, response) => {
			response.writeHead(200, headers);
			for (const chunk of chunks) response.write(chunk);
			response.end();
		});
		// In real time: Node.js does not tell that it is unpacking, during which no time may be skipped.
		const setup = { ...service.setup(DOWNLOAD), items: [{ url: `${host.url}/v.mp4` }] };
		const { items } = await runNode(setup);
		expect(items[0]?.binary?.data?.bytes).toBe(VIDEO.length);
		expect(await store.hash(items[0]?.binary?.data)).toBe(sha256(VIDEO));
	});
});

test.each([301, 302, 303, 307, 308] as const)(
	"The API key is not sent to the video's host, nor along with its redirects (%d)",
	async (status) => {
		const { url } = addVideo();
		host.answer((_request, response) => {
			response.writeHead(status, { location: url }).end('<html>Moved</html>');
		});
		const { items } = await download(`${host.url}/short?signature=secret`);
		expect(await store.hash(items[0]?.binary?.data)).toBe(sha256(VIDEO));
		expect(items[0]?.binary?.data?.fileName).toMatch(/\.mp4$/);
		const requests = [...host.requests, ...service.sandbox.requests];
		expect(requests).toHaveLength(2);
		for (const { headers } of requests) {
			expect(headers).not.toHaveProperty('authorization');
			expect(JSON.stringify(headers)).not.toContain(service.sandbox.apiKey);
		}
	},
);

test.each([
	['a local file', 'file:///etc/passwd', 1],
	['no address', undefined, 1],
	['itself, in circles', '/again', 22],
])('A redirect to %s is given up, and not tried again', async (_what, location, requests) => {
	host.answer((_request, response) => {
		response.writeHead(302, { ...(location && { location }) }).end();
	});
	const { error } = await download(host.url);
	expect(error?.message).toBe("The video's address redirects to no address that can be opened");
	expect(host.requests).toHaveLength(requests);
});

const BROKEN = /host broke before its response was complete$/;
test.each<[string, FaultSpec, string, RegExp]>([
	['a web page', { kind: 'html' }, '200', /^The address returned a web page, not a video$/],
	['an empty body', { kind: 'emptyBody' }, '200', /returned an empty file$/],
	['a part of it', { kind: 'status', status: 206, contentType: 'video/mp4' }, '206', /\(206\)$/],
	['half a file', { kind: 'cutOff', ending: 'break' }, 'ECONNRESET', BROKEN],
	['half a chunked file', { kind: 'cutOff', ending: 'breakChunked' }, 'ECONNRESET', BROKEN],
])(
	'Instead of a whole video, %s is an error, and nothing of it is left',
	async (_what, fault, code, text) => {
		const { url } = addVideo('?signature=secret');
		service.sandbox.addFault(fault);
		const { error, items } = await download(url, once);
		expect(items).toEqual([]);
		expect(error?.message).toMatch(text);
		expect(error?.httpCode).toBe(code);
		expect(error?.description).toContain('sent once.');
		expect(`${error?.message} ${error?.description}`).not.toContain('secret');
		await expectNothingStored();
	},
);

describe('A download', () => {
	test('is tried as often as Max Tries says', async () => {
		service.sandbox.addFault({ kind: 'status', status: 503 });
		const { error } = await download(addVideo().url, { options: { maxTries: 2 } });
		expect(error?.description).toMatch(/was sent 2 times/);
		expect(service.sandbox.requests).toHaveLength(2);
	});

	test.each([
		['is not answered', false],
		['stops in its middle', true],
	])('that %s is a timeout after the time that the user sets', async (_how, begins) => {
		let stalled = 0;
		const closed = new Promise((resolve) => {
			host.answer((request, response) => {
				response.once('close', resolve);
				if (begins) begin(request, response);
				stalled += 1;
			});
		});
		const { clock, onRequest } = service.sandbox;
		const time = { clock, onRequest, countSleeping: () => stalled };
		const parameters = { ...once, requestOptions: { timeout: 20_000 } };
		const startedAt = clock.now();
		const { error } = await runWithoutWaiting(
			() => download(`${host.url}/v.mp4`, parameters),
			time,
		);
		const waitedMs = clock.now() - startedAt;
		expect(error).toMatchObject({
			httpCode: 'ETIMEDOUT',
			message: "The video's host did not answer in time",
		});
		expect(Math.round(waitedMs / 1000)).toBe(20);
		await closed;
		await expectNothingStored();
	});

	test.each([
		['an error', 404, '<html>Gone</html>'],
		['a web page', 200, '<html>'.padEnd(1000)],
	])('closes the connection of %s', async (_what, status, body) => {
		const closed = new Promise((resolve) => {
			host.answer((_request, response) => {
				response.once('close', resolve);
				response.writeHead(status).write(body);
			});
		});
		expect((await download(host.url)).error).toBeDefined();
		await closed;
	});
});

describe('Several downloads', () => {
	test('with a failed one among them go on, and it comes out as data', async () => {
		const { url } = addVideo('?signature=secret');
		const videoUrl = `${service.sandbox.url}/files/gone.mp4`;
		const urls = [url, `${videoUrl}?signature=secret`, 'file:///etc/passwd', url];
		const input = urls.map((each, row) => ({ url: each, row }));
		const setup = { items: input, settings: ERROR_OUTPUT };
		const { items, errorItems, found, error } = await service.run(DOWNLOAD, setup);
		expect(error).toBeUndefined();
		expect(found.items).toEqual([input[0], input[3]]);
		expect(items.every(({ binary }) => binary?.data?.bytes === VIDEO.length)).toBe(true);
		expect(found.errorItems).toEqual([input[1], input[2]]);
		expect(errorItems.map(({ json }) => json)).toEqual([
			{
				...input[1],
				error: 'There is no video at this address (404)',
				message: like(/Video > Get Many/),
				details: { videoUrl, httpCode: '404', tries: 1 },
			},
			{
				...input[2],
				error: "'Video' is not a web address",
				message: like(/http:\/\//),
				details: {},
			},
		]);
	});

	test('end when one of them fails and the node is set to stop', async () => {
		let closed = 0;
		host.answer((request, response) => {
			if (request.url === '/gone.mp4') {
				if (closed === 0 && host.requests.length === 3) response.writeHead(404).end();
				return;
			}
			response.once('close', () => {
				closed += 1;
			});
			begin(request, response);
		});
		const { error } = await service.run(DOWNLOAD, {
			items: ['a', 'b', 'gone'].map((name) => ({ url: `${host.url}/${name}.mp4` })),
		});
		expect(error).toMatchObject({ httpCode: '404', context: { itemIndex: 2 } });
		expect(host.requests).toHaveLength(3);
		await expectNothingStored();
	});
});

describe('The trigger with downloading', () => {
	/** A poll without its waits. */
	const poll = async (start: () => Promise<PollResult>) =>
		await runWithoutWaiting(async () => {
			const startedAt = jest.now();
			const { items } = await start();
			return { items: items ?? [], tookMs: jest.now() - startedAt };
		});

	test('emits each video with its file, requested without the key, and shows it as a test event', async () => {
		const trigger = await activate({ binaryPropertyName: 'film' });
		const { id } = addVideo();
		const emitted = (await trigger.poll()).items;
		const shown = await trigger.fetchTestEvent();
		for (const items of [emitted, shown]) {
			expect(items).toMatchObject([{ json: { id }, binary: { film: { mimeType: 'video/mp4' } } }]);
			expect(await store.hash(items?.[0]?.binary?.film)).toBe(sha256(VIDEO));
			expect(items?.[0]?.json).not.toHaveProperty('downloadError');
		}
		const files = service.sandbox.requests.filter(({ operation }) => operation === 'video.file');
		expect(files.map(({ headers }) => headers.authorization)).toEqual([undefined, undefined]);
	});

	const LIMITED: FaultSpec = { kind: 'tooManyRequests', retryAfter: 'none' };
	const NO_ADDRESS = /^The address of the video is not a web address$/;
	const GONE: FaultSpec = { kind: 'status', status: 404 };
	test.each<[string, string | null, FaultSpec, RegExp, RegExp]>([
		['is gone', null, GONE, /no video at/, /link in 'url' may have expired/],
		['is limited', null, LIMITED, /too many/i, /later in the workflow/],
		['is late', null, late('600'), /\(503\)/, /in 10 minutes.*Video > Download\.$/],
		['has no web address', 'file:///etc/hosts', LIMITED, NO_ADDRESS, /Video > Get Many/],
		['has no address', ' ', LIMITED, NO_ADDRESS, /Video > Get Many/],
	])(
		'explains a file that %s without fields that only the other node has',
		async (_what, url, fault, message, expected) => {
			const trigger = await activate();
			const [video] = service.sandbox.addVideos('main', [{ url }]);
			service.sandbox.addFault({ ...fault, operation: 'video.file' });
			const { items } = await poll(() => trigger.poll());
			expect(items[0]?.json).toMatchObject({ id: video?.id, projectId: video?.projectId });
			const { description, ...error } = items[0]?.json.downloadError as { description: string };
			expect(error).toEqual({ message: like(message) });
			expect(description).toMatch(expected);
			expect(description).not.toMatch(/'Video'|Max Tries|Enter|run the workflow again/i);
			expect(items[0]?.binary).toBeUndefined();
		},
	);

	test('is published within a minute: n8n gives up on publishing otherwise', async () => {
		const trigger = await activate();
		addVideo();
		service.sandbox.addFault(late('100'));
		const { items, tookMs } = await poll(() => trigger.activate());
		expect(items).toHaveLength(1);
		expect(tookMs).toBeLessThan(60_000);
	});

	testWith('pollBudget', 'polls within its time, however long the list takes', async () => {
		const trigger = await activate({}, 36_000);
		addVideo();
		const fault = { kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 30 } as const;
		service.sandbox.addFault({ ...fault, operation: 'video.getAll', times: 1 });
		service.sandbox.addFault(late('3'));
		const { items, tookMs } = await poll(() => trigger.poll());
		expect(items[0]?.json).toHaveProperty('downloadError');
		expect(tookMs).toBeLessThan(36_000);
	});

	testWith(
		'pollBudget',
		'gives up files that stop or drip when its time is over, and keeps no part of them',
		async () => {
			const trigger = await activate({}, 36_000);
			let stalled = 0;
			host.answer((request, response) => {
				stalled += 1;
				begin(request, response);
				if (request.url === '/stop.mp4') return;
				const drip = setInterval(() => response.write('x'), 20);
				response.once('close', () => {
					clearInterval(drip);
				});
			});
			const paths = ['/stop.mp4', '/drip.mp4', '/3.mp4', '/4.mp4', '/waiting.mp4'];
			const videos = paths.map((path) => ({ url: host.url + path }));
			service.sandbox.addVideos('main', videos);
			const { clock, onRequest } = service.sandbox;
			const time = { clock, onRequest, countSleeping: () => stalled };
			const { items } = await runWithoutWaiting(() => trigger.poll(), time);
			expect(items?.map(({ json }) => json.downloadError)).toEqual(
				paths.map(() => ({
					message: 'The video was not downloaded within the time that n8n allows for a poll',
					description: like(/Video > Download/),
				})),
			);
			expect(host.requests).toHaveLength(4);
			await expectNothingStored();
		},
	);
});
