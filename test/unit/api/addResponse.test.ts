import { Readable } from 'node:stream';
import { receiveAddResponse } from '../../../nodes/VideoGeneration/api/addResponse';

const ID = '4a7c0e52-1f0b-4c57-9a55-2f7d6a1c9b10';
const ITEM = {
	queueId: ID,
	projectId: 'p 1',
	status: 'pending',
	videoUrl: null,
	renderProgress: 0,
};
const BODY = JSON.stringify({ status: 'success', message: 'Queued', newQueueItem: ITEM });

const receiveStream = async (body: Readable, statusCode = 200) =>
	await receiveAddResponse('https://api.example.com/v1/queue/add', {
		...{ statusCode, headers: {}, body },
		hide: (text) => text.replaceAll('key-1', '[API key]'),
	});
const receive = async (body: string, statusCode = 200) =>
	await receiveStream(Readable.from([Buffer.from(body)]), statusCode);

/** A stream that breaks off behind a text. */
const breakOff = (body: string) =>
	Readable.from(
		(function* () {
			yield Buffer.from(body);
			throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
		})(),
	);

describe('The queue ID of an add', () => {
	const text = { queueId: ID, queueItem: ITEM, status: 'success' };
	const number = { queueId: '42', queueItem: { ...ITEM, queueId: '42' } };
	const none = { queueId: '', queueItem: undefined, namesQueueItem: false, receivedQueueId: '' };
	test.each([
		['read from a proper response', BODY, { ...text, namesQueueItem: true, receivedQueueId: ID }],
		['read behind a byte order mark', `\ufeff${BODY}`, { ...text, namesQueueItem: true }],
		['its text if it is a number', BODY.replace(`"${ID}"`, '42'), number],
		['none if it is empty', BODY.replace(ID, ' '), none],
		['none if it is an object', BODY.replace(`"${ID}"`, `{"id":"${ID}"}`), none],
		['none if it stands in a text', JSON.stringify({ status: 'error', message: BODY }), none],
		['none without a body', '', none],
	])('is %s', async (_what, body, expected) => {
		expect(await receive(body)).toMatchObject(expected);
	});

	test("loses the key in its item's status, which errors quote", async () => {
		const { queueItem } = await receive(BODY.replace('pending', 'key-1'));
		expect(queueItem).toEqual({ ...ITEM, status: '[API key]' });
	});
});

describe('A response names a queue item, whatever its status is', () => {
	test.each([
		['beside the queue item', `{"queueId":"${ID}","newQueueItem":{"status":"pending"}}`, ID],
		['in an item within the item', `{"newQueueItem":{"parent":{"queueId":"${ID}"}}}`, ID],
		['in a list', `{"data":[{"queueId": 42}]}`, '42'],
		['and its ID is the first that is one', '{"a":{"queueId":"a\\"b"},"queueId":"c"}', 'a"b'],
		['with a number that JavaScript rounds', BODY.replace(`"${ID}"`, '18446744073709551615'), ''],
	])('%s', async (_where, body, receivedQueueId) => {
		expect(await receive(body, 429)).toMatchObject({
			...{ queueId: '', queueItem: undefined, namesQueueItem: true, receivedQueueId },
		});
	});

	test.each([
		['that is cut off behind its ID', BODY.slice(0, BODY.indexOf(ID) + ID.length + 1)],
		['that is cut off in its ID', BODY.slice(0, BODY.indexOf(ID) + 1)],
		['with text behind it', `${BODY}\n<!-- 12 ms -->`],
	])('also in JSON %s, whose ID is not read', async (_how, body) => {
		expect(await receive(body)).toMatchObject({
			...{ queueId: '', status: undefined, namesQueueItem: true, receivedQueueId: '', text: body },
		});
	});

	// A pattern that begins anew at each of these would take minutes.
	test.each([
		['an endless text', `{"newQueueItem":{"x":"${'\\"'.repeat(400_000)}`],
		['white space', `"queueId"${' '.repeat(1_000_000)}`],
	])('and is looked for in %s in one pass', async (_what, body) => {
		expect((await receive(body)).namesQueueItem).toBe(false);
	});
});

test('A refusal counts only where the body has arrived whole', async () => {
	const body = JSON.stringify({ status: 'error', message: 'No' });
	expect(await receive(body)).toMatchObject({ status: 'error' });
	expect(await receiveStream(breakOff(body))).toMatchObject({
		...{ status: undefined, failure: { kind: 'uncertain' } },
	});
});
