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
	test.each([
		['a proper response', BODY],
		['one with a byte order mark', `\ufeff${BODY}`],
	])('is read with its whole item from %s', async (_which, body) => {
		expect(await receive(body)).toMatchObject({
			...{ queueId: ID, queueItem: ITEM, status: 'success' },
			...{ namesQueueItem: true, receivedQueueId: ID },
		});
	});

	test('that is a number is its text', async () => {
		expect(await receive(BODY.replace(`"${ID}"`, '42'))).toMatchObject({
			...{ queueId: '42', queueItem: { queueId: '42', projectId: 'p 1' }, receivedQueueId: '42' },
		});
	});

	test("loses the key in its item's status, which errors quote", async () => {
		const { queueItem } = await receive(BODY.replace('pending', 'key-1'));
		expect(queueItem).toEqual({ ...ITEM, status: '[API key]' });
	});

	const UNNAMED = { queueId: '', queueItem: undefined, namesQueueItem: false, receivedQueueId: '' };
	test.each([
		['an empty one', BODY.replace(ID, ' ')],
		['null', BODY.replace(`"${ID}"`, 'null')],
		['an object', BODY.replace(`"${ID}"`, `{"id":"${ID}"}`)],
		['one in a text', JSON.stringify({ status: 'error', message: BODY })],
		['no body', ''],
	])('is not there with %s', async (_what, body) => {
		expect(await receive(body)).toMatchObject(UNNAMED);
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
		['with a notice before it', `<br />\n<b>Warning</b>: mail() failed\n${BODY}`],
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

test('The beginning of any response is kept as text', async () => {
	expect((await receive('<html>Bad gateway', 502)).text).toBe('<html>Bad gateway');
});
