import type { Reply } from '../../../sandbox/faults/Fault';
import type { Fate } from './fates';
import { decode, findQueueId, judgeFate, parseAnswer, toAnswer } from './fates';

const URL = 'http://127.0.0.1:3000/v1/queue/add';
const ACCEPTED = '{"status":"success","newQueueItem":{"queueId":"id-1","projectId":"p"}}';

const reply = (status: number, body: string | Buffer, more: Partial<Reply> = {}): Reply => ({
	...{ status, headers: {}, body: Buffer.from(body) },
	...more,
});
const judge = (...args: Parameters<typeof reply>) => judgeFate(toAnswer(reply(...args)), URL);

describe('The judge of an add', () => {
	it.each<[number, Fate]>([
		...[300, 303, 304, 305, 306, 309].map((status): [number, Fate] => [status, 'unknown']),
		...[307, 308, 400, 401, 402, 403, 404].map((status): [number, Fate] => [status, 'refused']),
		...[405, 406, 410, 411, 413, 414, 415].map((status): [number, Fate] => [status, 'refused']),
		...[417, 421, 422, 429, 431, 451].map((status): [number, Fate] => [status, 'refused']),
		...[407, 408, 409, 412, 418, 423, 424].map((status): [number, Fate] => [status, 'unknown']),
		...[425, 426, 428, 499, 500, 502, 504].map((status): [number, Fate] => [status, 'unknown']),
	])('takes a %i for "%s"', (status, fate) => {
		expect(judge(status, '')).toBe(fate);
	});
	it.each<[string, Fate]>([
		['http://127.0.0.1:9/v1/queue/add', 'refused'],
		['https://127.0.0.1:3000/v1/queue/add', 'refused'],
		['http://127.0.0.1:9/login', 'unknown'],
		['/login', 'unknown'],
	])('takes a 302 to %s for "%s"', (location, fate) => {
		expect(judge(302, '', { headers: { location } })).toBe(fate);
	});
	it.each<[string, Fate]>([
		[ACCEPTED, 'told'],
		[ACCEPTED.replace('success', 'error'), 'told'],
		[`<b>Warning</b> {} ${ACCEPTED}`, 'told'],
		[ACCEPTED.slice(0, ACCEPTED.indexOf('id-1') + 5), 'told'],
		[ACCEPTED.slice(0, ACCEPTED.indexOf('id-1') + 4), 'unknown'],
		[ACCEPTED.replace('"id-1"', '12345678901234567890'), 'told'],
		['{"status":"success","newQueueItem":{"queueId":123', 'unknown'],
		['{"status":"success","queueId":"id-1"}', 'unknown'],
		['{"status":"Rejected"}', 'refused'],
		['{"status":"error","message":"cut o', 'unknown'],
		['{"status":"queued"}', 'unknown'],
		['', 'unknown'],
	])('takes a 200 with %s for "%s"', (body, fate) => {
		expect(judge(200, body)).toBe(fate);
	});
	it('does not demand what broke off at once after it was sent', () => {
		expect(judge(200, ACCEPTED, { breaks: true })).toBe('unreadable');
		expect(judge(200, '{"status":"error"}', { breaks: true })).toBe('unknown');
		expect(judgeFate(toAnswer('reset'), URL)).toBe('unknown');
	});
	it('reads an id with all its digits in every encoding', () => {
		const text = ACCEPTED.replace('"id-1"', '9007199254740993');
		const little = Buffer.from(text, 'utf16le');
		for (const body of [
			Buffer.from(text),
			Buffer.from(`\ufeff${text}`),
			little,
			Buffer.from(`\ufeff${text}`, 'utf16le'),
			Buffer.from(little).swap16(),
		]) {
			expect(findQueueId(decode(body))).toBe('9007199254740993');
		}
	});
	it('reads a response from its bytes, as far as they arrived', () => {
		const head = 'HTTP/1.1 200 OK\r\nContent-Length: 9\r\nLocation: /x\r\n\r\n';
		expect(parseAnswer(Buffer.from(`${head}{"a":1}`))).toMatchObject({
			...{ status: 200, location: '/x', isWhole: false, body: Buffer.from('{"a":1}') },
		});
		const chunked =
			'HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n3\r\n{"a\r\n4\r\n":1}\r\n';
		expect(parseAnswer(Buffer.from(chunked))).toMatchObject({
			...{ isWhole: false, body: Buffer.from('{"a":1}') },
		});
		expect(parseAnswer(Buffer.from(`${chunked}0\r\n\r\n`))).toMatchObject({ isWhole: true });
		expect(parseAnswer(Buffer.from('HTTP/1.1 200 OK\r\nConte'))).toBeUndefined();
	});
});
