import { Readable } from 'node:stream';
import type { IBinaryData } from 'n8n-workflow';
import type { Passage } from '../../../nodes/VideoGeneration/download/storeVideo';
import { storeVideo } from '../../../nodes/VideoGeneration/download/storeVideo';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';

const VIDEO = readVideoFile('city-tour');

/** Hands a body to a store that does what the test says. */
async function store(
	body: Readable,
	prepareBinaryData: (stream: Readable) => Promise<IBinaryData>,
	receivedBytes = 0,
): Promise<{ error?: unknown; passage: Passage }> {
	const passage: Passage = { receivedBytes, isAwaitingHost: false, storeMs: 0 };
	const url = new URL('https://files.example/a.mp4');
	const helpers = {
		httpRequest: () => Promise.reject(new Error('not needed')),
		prepareBinaryData: (data: Buffer | Readable) => prepareBinaryData(data as Readable),
	};
	const reply = { body, headers: {}, url };
	const error = await storeVideo({ helpers }, reply, undefined, passage).then(
		() => undefined,
		(reason: unknown) => reason,
	);
	return { error, passage };
}

function* begin(end: Error) {
	yield VIDEO.subarray(0, 1000);
	throw end;
}

const broken = () =>
	Readable.from(begin(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })));

describe('A stream on its way to the store', () => {
	test('that fails before the store looks at it ends nothing but the download', async () => {
		const { error } = await store(broken(), async (stream) => {
			stream.resume();
			await new Promise((resolve) => stream.once('close', resolve));
			await stream.toArray();
			throw new Error('not reached');
		});
		expect(error).toMatchObject({ kind: 'uncertain', facts: { httpCode: 'ECONNRESET' } });
	});

	test('that fails is what went wrong, whatever the store says of it', async () => {
		const { error, passage } = await store(broken(), async (stream) => {
			await new Promise((resolve) => stream.resume().once('error', resolve));
			throw new Error('Premature end');
		});
		expect(error).toMatchObject({ kind: 'uncertain' });
		expect(passage.receivedBytes).toBe(1000);
	});

	test('that does not end is broken off where a video has become too large', async () => {
		const endless = Readable.from(
			(function* flow() {
				for (;;) yield VIDEO;
			})(),
		);
		const almostAll = 16 * 1024 ** 3 - 10 * VIDEO.length;
		const { error, passage } = await store(
			endless,
			async (stream) => {
				await new Promise((resolve) => stream.resume().once('error', resolve));
				throw new Error('Premature end');
			},
			almostAll,
		);
		expect(error).toMatchObject({
			kind: 'unreadable',
			facts: { found: 'tooLarge', limit: '16 GiB' },
		});
		expect(passage.receivedBytes).toBe(almostAll + 11 * VIDEO.length);
	});

	test('is told how long the store has taken, apart from the host', async () => {
		let now = 0;
		const clock = jest.spyOn(Date, 'now').mockImplementation(() => now);
		const halves = Readable.from([VIDEO.subarray(0, 1000), VIDEO.subarray(1000)]);
		const { error, passage } = await store(halves, async (stream) => {
			for await (const chunk of stream) {
				expect(chunk).toBeInstanceOf(Buffer);
				now += 5000;
			}
			return { data: '', mimeType: 'video/mp4' };
		});
		clock.mockRestore();
		expect(error).toBeUndefined();
		expect(passage.storeMs).toBeGreaterThanOrEqual(5000);
	});

	test("is not to blame for the store's own failure", async () => {
		const { error } = await store(Readable.from([VIDEO]), async () => {
			await Promise.resolve();
			throw new Error('ENOSPC: no space left on device, write');
		});
		expect(error).toMatchObject({
			kind: 'unstored',
			facts: { serviceMessage: 'ENOSPC: no space left on device, write' },
		});
	});
});
