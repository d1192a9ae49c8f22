import { readAddResponse } from '../../../nodes/VideoGeneration/adds/addResponse';
import type { Fate } from '../../../nodes/VideoGeneration/failures/failure';

const URL = 'https://api.example.com/v1/queue/add';

const ID = '4a7c0e52-1f0b-4c57-9a55-2f7d6a1c9b10';
const ITEM = { queueId: ID, projectId: 'p 1', status: 'pending', videoUrl: null };
const BODY = JSON.stringify({ status: 'success', message: 'Queued', newQueueItem: ITEM });
const withId = (id: string) => BODY.replace(`"${ID}"`, id);
const read = (text: string, statusCode = 200) =>
	readAddResponse({ statusCode, headers: {}, text }, URL);

test.each([
	['as text', BODY, ITEM],
	['as a number', withId('42'), { ...ITEM, queueId: '42' }],
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
	['beyond the numbers of JavaScript', withId('18446744073709551615'), '18446744073709551615'],
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

describe('An add that was answered', () => {
	const judge = ({ statusCode = 200, location = '', ...body }: Record<string, unknown>) => {
		const text = JSON.stringify(body);
		const response = { statusCode: statusCode as number, headers: { location }, text };
		const result = readAddResponse(response, URL);
		return 'queueItem' in result ? 'accepted' : result.facts.fate;
	};

	const REFUSED = [
		...[400, 401, 402, 403, 404, 405, 406, 410, 411, 413, 414, 415, 417, 421, 422, 429, 431, 451],
		...[307, 308],
	];

	test('is refused only by a status that proves it', () => {
		const statuses = Array.from({ length: 300 }, (_, index) => index + 300);
		const refused = statuses.filter((statusCode) => judge({ statusCode }) === 'refused');
		expect(refused).toEqual([...REFUSED].sort((a, b) => a - b));
		for (const statusCode of statuses) {
			if (!refused.includes(statusCode)) {
				expect(judge({ statusCode })).toBe(statusCode === 407 ? 'notSent' : 'unknown');
			}
		}
	});

	test.each<[number, string, Fate]>([
		[301, 'http://other.example.com/v1/queue/add', 'refused'],
		[302, 'https://www.api.example.com/v1/queue/add?from=1', 'refused'],
		[302, '//other.example.com/v1/queue/add', 'refused'],
		[302, '/v1/queue/add', 'unknown'],
		[302, `${URL}#again`, 'unknown'],
		[302, 'https://other.example.com/v1/queue/progress/1', 'unknown'],
		[301, 'https://other.example.com/login', 'unknown'],
		[303, 'http://other.example.com/v1/queue/add', 'unknown'],
		[302, 'https://', 'unknown'],
	])('with %d to %s is %s', (statusCode, location, fate) => {
		expect(judge({ statusCode, location })).toBe(fate);
	});

	test.each([200, 299])('with %d and a queue ID is accepted', (statusCode) => {
		for (const status of ['success', 'error', undefined]) {
			const response = { statusCode, status, newQueueItem: { queueId: 'id' } };
			expect(judge(response)).toBe('accepted');
			expect(judge({ statusCode, status, queueId: 'id' })).toBe('unknown');
		}
	});

	test.each<[unknown, Fate]>([
		...['error', 'failed', 'REFUSED', ' error '].map((word): [unknown, Fate] => [word, 'refused']),
		...['success', 'no error', '', 0, undefined].map((word): [unknown, Fate] => [word, 'unknown']),
	])('with 200, the status %j and no queue ID is %s', (status, fate) => {
		expect(judge({ status })).toBe(fate);
	});
});
