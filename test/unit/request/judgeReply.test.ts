import type { IN8nHttpFullResponse } from 'n8n-workflow';
import { judgeReply } from '../../../nodes/VideoGeneration/request/judgeReply';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/requestFailure';

function judge(statusCode: number, body: unknown, headers: Record<string, string> = {}) {
	try {
		return judgeReply({ statusCode, body, headers } as IN8nHttpFullResponse);
	} catch (error) {
		expect(error).toBeInstanceOf(RequestFailure);
		const { kind, facts } = error as RequestFailure;
		return { kind, facts };
	}
}

describe('A reply', () => {
	test('of 200 with the status success is handed on', () => {
		const body = { status: 'success', videos: [] };
		expect(judge(200, body)).toBe(body);
	});

	test('that is a list without its envelope is handed on', () => {
		expect(judge(200, [{ id: '1' }])).toEqual([{ id: '1' }]);
	});

	test.each([
		[429, 'rateLimited'],
		[500, 'uncertain'],
		[501, 'rejected'],
		[502, 'uncertain'],
		[503, 'uncertain'],
		[504, 'uncertain'],
		[505, 'rejected'],
		[524, 'uncertain'],
		[301, 'redirected'],
		[307, 'redirected'],
		[400, 'rejected'],
		[401, 'rejected'],
		[402, 'rejected'],
		[404, 'rejected'],
		[408, 'rejected'],
	])('of %d is %s', (statusCode, kind) => {
		expect(judge(statusCode, { status: 'error', message: 'No.' })).toMatchObject({
			kind,
			facts: { httpCode: String(statusCode) },
		});
	});

	test.each([429, 503])('of %d keeps how long the service asks to wait', (statusCode) => {
		expect(judge(statusCode, {}, { 'retry-after': '3' })).toMatchObject({
			facts: { retryAfterMs: 3000 },
		});
	});

	test("of an error keeps the service's own words, and of a redirect where it leads to", () => {
		expect(judge(400, { message: 'Bad.' })).toMatchObject({ facts: { serviceMessage: 'Bad.' } });
		expect(judge(302, '', { location: 'https://b.example' })).toMatchObject({
			facts: { location: 'https://b.example' },
		});
	});

	test.each([
		['', 'empty'],
		[undefined, 'empty'],
		[null, 'empty'],
		['<!doctype html><html></html>', 'html'],
		['\n <html>', 'html'],
		['{"status":"succ', 'cutOff'],
		['[{"id":', 'cutOff'],
		['OK', 'other'],
		[5, 'other'],
	])('of 200 with the body %j is unreadable: %s', (body, found) => {
		expect(judge(200, body)).toEqual({ kind: 'unreadable', facts: { httpCode: '200', found } });
	});

	test.each([
		{ status: 'error', message: 'Down.' },
		{ message: 'Down.' },
		{ status: 'ok', message: 'Down.' },
	])('of 200 with %j was not successful', (body) => {
		expect(judge(200, body)).toEqual({
			kind: 'unsuccessful',
			facts: { httpCode: '200', serviceMessage: 'Down.' },
		});
	});
});
