import { Readable } from 'node:stream';
import fc from 'fast-check';
import type { IBinaryData } from 'n8n-workflow';
import type { Transfer } from '../../../nodes/VideoGeneration/download/storeVideo';
import { BoxReader, storeVideo } from '../../../nodes/VideoGeneration/download/storeVideo';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';

const VIDEO = readVideoFile('city-tour');
const FILM = readVideoFile('launch-film');

/** Passes a body on to a store that does what the test says. */
async function store(
	body: Readable,
	prepareBinaryData: (stream: Readable) => Promise<IBinaryData>,
	receivedBytes = 0,
): Promise<{ error?: unknown; transfer: Transfer }> {
	const transfer: Transfer = { receivedBytes, isAwaitingHost: false };
	const url = new URL('https://files.example/a.mp4');
	const helpers = {
		httpRequest: () => Promise.reject(new Error('not needed')),
		prepareBinaryData: (data: Buffer | Readable) => prepareBinaryData(data as Readable),
	};
	const response = { body, headers: {}, url };
	const error = await storeVideo({ helpers }, response, undefined, transfer).then(
		() => undefined,
		(reason: unknown) => reason,
	);
	return { error, transfer };
}

function* begin(end: Error) {
	yield VIDEO.subarray(0, 1000);
	throw end;
}

const broken = () =>
	Readable.from(begin(Object.assign(new Error('aborted'), { code: 'ECONNRESET' })));
const readUntilError = async (stream: Readable) => {
	await new Promise((resolve) => stream.resume().once('error', resolve));
	throw new Error('Premature end');
};

describe('A stream on its way to the store', () => {
	test('that fails before the store listens to it ends nothing but the download', async () => {
		const { error } = await store(broken(), async (stream) => {
			stream.resume();
			await new Promise((resolve) => stream.once('close', resolve));
			await stream.toArray();
			throw new Error('not reached');
		});
		expect(error).toMatchObject({ kind: 'uncertain', facts: { httpCode: 'ECONNRESET' } });
	});

	test('that fails is the reason, whatever the store reports', async () => {
		const { error, transfer } = await store(broken(), readUntilError);
		expect(error).toMatchObject({ kind: 'uncertain' });
		expect(transfer.receivedBytes).toBe(1000);
	});

	test('that does not end is broken off when the video becomes too large', async () => {
		const endless = Readable.from(
			(function* flow() {
				for (;;) yield VIDEO;
			})(),
		);
		const almostAll = 16 * 1024 ** 3 - 10 * VIDEO.length;
		const { error, transfer } = await store(endless, readUntilError, almostAll);
		expect(error).toMatchObject({
			kind: 'unreadable',
			facts: { found: 'tooLarge', limit: '16 GiB' },
		});
		expect(transfer.receivedBytes).toBe(almostAll + 11 * VIDEO.length);
	});

	test('tells whether the host or the store is awaited', async () => {
		const states: boolean[] = [];
		const halves = Readable.from([VIDEO.subarray(0, 1000), VIDEO.subarray(1000)]);
		const transfer: Transfer = { receivedBytes: 0, isAwaitingHost: false };
		const helpers = {
			httpRequest: () => Promise.reject(new Error('not needed')),
			prepareBinaryData: async (data: Buffer | Readable) => {
				for await (const chunk of data as Readable) {
					expect(chunk).toBeInstanceOf(Buffer);
					states.push(transfer.isAwaitingHost);
				}
				return { data: '', mimeType: 'video/mp4' };
			},
		};
		const url = new URL('https://files.example/a.mp4');
		await storeVideo({ helpers }, { body: halves, headers: {}, url }, undefined, transfer);
		expect(states).toHaveLength(2);
		expect(transfer).toEqual({ receivedBytes: VIDEO.length, isAwaitingHost: false });
	});

	test("that is complete is not the reason for the store's own failure", async () => {
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

function box(type: string, bytes: number, sizeField = bytes + 8): Buffer {
	const header = Buffer.alloc(8 + bytes);
	header.writeUInt32BE(sizeField);
	header.write(type, 4, 'latin1');
	return header;
}

function largeBox(type: string, bytes: number): Buffer {
	const header = box(type, bytes + 8, 1);
	header.writeBigUInt64BE(BigInt(bytes + 16), 8);
	return header;
}

/** Returns whether a file that arrives in chunks of this size counts as cut off. */
function isCutOff(file: Buffer, chunkBytes = file.length): boolean {
	const reader = new BoxReader();
	for (let at = 0; at < file.length; at += chunkBytes) {
		reader.add(file.subarray(at, at + chunkBytes));
	}
	return reader.isInsideContent;
}

describe('The boxes of an MP4', () => {
	const SMALL = Buffer.concat([
		box('ftyp', 12),
		box('free', 8),
		largeBox('mdat', 50),
		box('moov', 30),
	]);

	test('tell a file that lacks its last byte, or its last half', () => {
		for (const file of [VIDEO, FILM, SMALL]) {
			expect(isCutOff(file)).toBe(false);
			expect(isCutOff(file.subarray(0, -1))).toBe(true);
			expect(isCutOff(file.subarray(0, file.length / 2))).toBe(true);
		}
	});

	test('tell the same in whatever chunks the file arrives', () => {
		const size = fc.integer({ min: 1, max: SMALL.length });
		fc.assert(
			fc.property(size, size, (keptBytes, chunkBytes) => {
				const part = SMALL.subarray(0, keptBytes);
				expect(isCutOff(part, chunkBytes)).toBe(isCutOff(part));
			}),
		);
	});

	test('tell it of a box that is larger than 4 GiB', () => {
		const huge = box('mdat', 8, 1);
		huge.writeBigUInt64BE(5n * 1024n ** 3n, 8);
		expect(isCutOff(huge)).toBe(true);
	});

	test.each([
		['an ID3 tag', Buffer.from('TAGSome title'.padEnd(128))],
		['JSON', Buffer.from('{"model":"v3","seed":12345}')],
		['line breaks', Buffer.from('\r\n'.repeat(20))],
		['zeros', Buffer.alloc(40)],
		['a few bytes', Buffer.alloc(4, 0xff)],
		['a box that is cut off, but holds no video', box('free', 100).subarray(0, 50)],
		['a box to the end of the file', box('mdat', 10, 0)],
		['a box without a sensible size', box('mdat', 10, 5)],
	])('do not call a complete file cut off that is followed by %s', (_what, trailer) => {
		const file = Buffer.concat([SMALL, trailer]);
		expect(isCutOff(file)).toBe(false);
		expect(isCutOff(file, 1)).toBe(false);
	});

	test('never call a complete file cut off for any bytes after its last box', () => {
		fc.assert(
			fc.property(fc.uint8Array({ maxLength: 64 }), (trailer) => {
				expect(isCutOff(Buffer.concat([SMALL, trailer]))).toBe(false);
			}),
		);
	});
});
