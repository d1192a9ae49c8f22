import { Readable } from 'node:stream';
import type { IBinaryData } from 'n8n-workflow';
import type { Transfer } from '../../../nodes/VideoGeneration/download/downloadVideo';
import { storeVideo } from '../../../nodes/VideoGeneration/download/downloadVideo';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';

const VIDEO = readVideoFile('city-tour');

/** Passes a body on to a store that does what the test says. */
async function store(
	body: Readable,
	prepareBinaryData: (stream: Readable) => Promise<IBinaryData>,
	receivedBytes = 0,
): Promise<{ error?: unknown; transfer: Transfer }> {
	const transfer: Transfer = { receivedBytes };
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
			facts: { content: 'tooLarge', limit: '16 GiB' },
		});
		expect(transfer.receivedBytes).toBe(almostAll + 11 * VIDEO.length);
	});

	test('tells whether the host or the store is awaited', async () => {
		const states: boolean[] = [];
		const halves = Readable.from([VIDEO.subarray(0, 1000), VIDEO.subarray(1000)]);
		const transfer: Transfer = { receivedBytes: 0 };
		const helpers = {
			httpRequest: () => Promise.reject(new Error('not needed')),
			prepareBinaryData: async (data: Buffer | Readable) => {
				for await (const chunk of data as Readable) {
					expect(chunk).toBeInstanceOf(Buffer);
					states.push(transfer.awaitingSince !== undefined);
				}
				return { data: '', mimeType: 'video/mp4' };
			},
		};
		const url = new URL('https://files.example/a.mp4');
		await storeVideo({ helpers }, { body: halves, headers: {}, url }, undefined, transfer);
		expect(states).toHaveLength(2);
		expect(transfer).toEqual({ receivedBytes: VIDEO.length });
	});

	test("that is complete is not the reason for the store's own failure", async () => {
		const { error } = await store(Readable.from([VIDEO]), async () => {
			await Promise.resolve();
			throw new Error('ENOSPC: no space left on device, write');
		});
		expect(error).toMatchObject({
			kind: 'storageFailed',
			facts: { serviceMessage: 'ENOSPC: no space left on device, write' },
		});
	});
});
