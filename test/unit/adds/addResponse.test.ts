import { readAddResponse } from '../../../nodes/VideoGeneration/adds/addResponse';

const ID = '4a7c0e52-1f0b-4c57-9a55-2f7d6a1c9b10';
const ITEM = { queueId: ID, projectId: 'p 1', status: 'pending', videoUrl: null };
const BODY = JSON.stringify({ status: 'success', message: 'Queued', newQueueItem: ITEM });
const read = (text: string, statusCode = 200) =>
	readAddResponse({ statusCode, headers: {}, text }, 'https://api.example.com/v1/queue/add');

test.each([
	['as text', BODY, ITEM],
	['as a number', BODY.replace(`"${ID}"`, '42'), { ...ITEM, queueId: '42' }],
	[
		'with spaces, which may be a part of it',
		BODY.replace(ID, ' 4 2 '),
		{ ...ITEM, queueId: ' 4 2 ' },
	],
])('An add is accepted with a queue ID %s', (_how, text, queueItem) => {
	expect(read(text)).toEqual({ queueItem });
});

test.each([
	['in an item within the item', `{"newQueueItem":{"parent":{"queueId":"${ID}"}}}`, ID],
	['in a list', '{"data":[{"queueId": 42}]}', '42'],
	[
		'beyond the numbers of JavaScript',
		BODY.replace(`"${ID}"`, '18446744073709551615'),
		'18446744073709551615',
	],
	['behind which the body breaks off', BODY.slice(0, BODY.indexOf(ID) + ID.length), ID],
	['in a refusal', `{"status":"error","queueId":"${ID}"}`, ID],
])(
	'A response that names a queue ID %s is no refusal, and shows it',
	(_where, text, receivedQueueId) => {
		for (const statusCode of [200, 400, 500]) {
			if (statusCode !== 200 || !text.includes('"newQueueItem":{"queueId"')) {
				expect(read(text, statusCode)).toMatchObject({
					facts: { fate: 'unknown', receivedQueueId },
				});
			}
		}
	},
);

test.each([
	['without an ID', BODY.replace(ID, ' ')],
	['with an ID that stands in a text', JSON.stringify({ status: 'ok', message: BODY })],
])('A response %s names no queue item', (_what, text) => {
	expect(read(text)).toMatchObject({
		facts: { fate: 'unknown', receivedText: text.slice(0, 300) },
	});
	expect(read(text)).not.toMatchObject({ facts: { receivedQueueId: expect.anything() as string } });
});
