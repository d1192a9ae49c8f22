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

const receive = async (body: Buffer | string, statusCode = 200) =>
	await receiveAddResponse('https://api.example.com/v1/queue/add', {
		...{ statusCode, headers: {} },
		body: Readable.from([Buffer.from(body)]),
	});

/** A stream that breaks off behind a number of bytes. */
const breakOff = (body: Buffer) =>
	Readable.from(
		(function* () {
			yield body;
			throw Object.assign(new Error('aborted'), { code: 'ECONNRESET' });
		})(),
	);

describe('The queue ID of an add', () => {
	test('is read with its whole item from a proper response', async () => {
		expect(await receive(BODY)).toMatchObject({
			...{ queueId: ID, queueItem: ITEM, status: 'success' },
		});
	});

	const idEndsAt = BODY.indexOf(ID) + ID.length + 1;

	test('is taken from a body that is cut off at any byte behind it, and from no shorter one', async () => {
		for (let end = 0; end < BODY.length; end++) {
			const { queueId } = await receive(BODY.slice(0, end));
			expect([end, queueId]).toEqual([end, end < idEndsAt ? '' : ID]);
		}
	});

	test('is taken from a body that breaks off behind it', async () => {
		const response = await receiveAddResponse('https://api.example.com/v1/queue/add', {
			...{ statusCode: 200, headers: {} },
			body: breakOff(Buffer.from(BODY.slice(0, idEndsAt))),
		});
		expect(response).toMatchObject({ queueId: ID, failure: { kind: 'uncertain' } });
		expect(response.status).toBeUndefined();
	});

	test.each([
		['a notice before it', `<br />\n<b>Warning</b>: mail() failed "newQueueItem": x\n${BODY}`],
		['text behind it', `${BODY}\n<!-- 12 ms -->`],
		['a byte order mark', `\ufeff${BODY}`],
		[
			'another order and white space',
			`{"newQueueItem" :\n { "status": "pending" , "queueId" : "${ID}"`,
		],
	])('is read from a response with %s', async (_what, body) => {
		expect((await receive(body)).queueId).toBe(ID);
	});

	test.each([
		...['1234567890123456789', '9007199254740993', '18446744073709551615', '1e30', '-12', '42'],
	])('that is the number %s is kept digit by digit', async (number) => {
		const body = BODY.replace(`"${ID}"`, number);
		expect(await receive(body)).toMatchObject({
			...{ queueId: number, queueItem: { queueId: number, projectId: 'p 1' } },
		});
		expect((await receive(body.slice(0, body.indexOf(number) + number.length))).queueId).toBe('');
	});

	test("loses the key in its item's status, which errors quote", async () => {
		const hide = (text: string) => text.replaceAll('key-1', '[API key]');
		const body = Readable.from([Buffer.from(BODY.replace('pending', 'key-1'))]);
		const { queueItem } = await receiveAddResponse('https://api.example.com/v1/queue/add', {
			...{ statusCode: 200, headers: {}, body, hide },
		});
		expect(queueItem).toEqual({ ...ITEM, status: '[API key]' });
	});

	test.each([
		['an empty one', BODY.replace(ID, ' ')],
		['null', BODY.replace(`"${ID}"`, 'null')],
		['an object', BODY.replace(`"${ID}"`, `{"id":"${ID}"}`)],
		['one outside of the queue item', `{"queueId":"${ID}","newQueueItem":{"status":"pending"}}`],
		['one of an item within the item', `{"newQueueItem":{"parent":{"queueId":"${ID}"}}`],
		['one in a text', JSON.stringify({ status: 'error', message: BODY })],
		['no body', ''],
	])('is not taken from %s', async (_what, body) => {
		expect(await receive(body)).toMatchObject({ queueId: '', queueItem: undefined });
	});

	test.each([
		['beside the queue item', `{"queueId":"${ID}","newQueueItem":{"status":"pending"}}`, ID],
		['in an item within the item', `{"newQueueItem":{"parent":{"queueId":"${ID}"}}`, ID],
		['in a list, of a body that is cut off', `{"data":[{"queueId":"${ID}","a`, ID],
		['as a long number', '{"error":{"queueId":18446744073709551615}}', '18446744073709551615'],
		['with escapes', '{"queueId":"a\\"b"}', 'a"b'],
		['without a value', '{"queueId":" ","a":{"queueId":null}}', ''],
		['in a text', JSON.stringify({ message: BODY }), ''],
	])('that stands %s is named, whatever the status is', async (_where, body, namedQueueId) => {
		expect(await receive(body, 429)).toMatchObject({ queueId: '', namedQueueId });
	});

	// A search that begins anew at each of these would take minutes.
	test.each([
		['an endless text', `{"newQueueItem":{"x":"${'\\"'.repeat(400_000)}`],
		['many queue items within each other', '"newQueueItem":{'.repeat(60_000)],
		['many queue items behind each other', '"newQueueItem":{"queueId":{'.repeat(40_000)],
		['white space', `"newQueueItem"${' '.repeat(1_000_000)}`],
	])('is looked for in %s in one pass', async (_what, body) => {
		expect((await receive(body)).queueId).toBe('');
	});
});

test('A refusal counts only where the body has arrived whole', async () => {
	const body = JSON.stringify({ status: 'error', message: 'No' });
	expect(await receive(body)).toMatchObject({ status: 'error' });
	const { status } = await receiveAddResponse('https://api.example.com/v1/queue/add', {
		...{ statusCode: 200, headers: {}, body: breakOff(Buffer.from(body)) },
	});
	expect(status).toBeUndefined();
});

test('The beginning of any response is kept as text', async () => {
	expect((await receive('<html>Bad gateway', 502)).text).toBe('<html>Bad gateway');
});
