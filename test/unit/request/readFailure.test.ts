import type { JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { AxiosResponse } from 'axios';
import { AxiosError } from 'axios';
import { readFailure } from '../../../nodes/VideoGeneration/request/readFailure';
import { RequestFailure } from '../../../nodes/VideoGeneration/request/requestFailure';

const NODE = {
	id: '1',
	name: 'N',
	type: 't',
	typeVersion: 1,
	position: [0, 0] as [number, number],
	parameters: {},
};

/** As n8n hands on what its HTTP client has thrown. */
function networkErrorBy(error: AxiosError) {
	return new NodeApiError(NODE, error as unknown as JsonObject);
}

function networkError(code: string) {
	return networkErrorBy(new AxiosError(`failed with ${code}`, code));
}

describe('An error instead of an answer', () => {
	test.each([
		['ECONNREFUSED', 'unreached'],
		['ENOTFOUND', 'unreached'],
		['EAI_AGAIN', 'unreached'],
		['EHOSTUNREACH', 'unreached'],
		['ENETUNREACH', 'unreached'],
		['ECONNRESET', 'uncertain'],
		['ECONNABORTED', 'uncertain'],
		['ETIMEDOUT', 'uncertain'],
		['EPIPE', 'uncertain'],
		['DEPTH_ZERO_SELF_SIGNED_CERT', 'unexpected'],
	])('with the code %s is %s', (code, kind) => {
		expect(readFailure(networkError(code))).toMatchObject({ kind, facts: { httpCode: code } });
	});

	test('of an answer that broke off in its middle is uncertain, whatever its status was', () => {
		const answer = { status: 200 } as AxiosResponse;
		const error = new AxiosError(
			'stream has been aborted',
			'ERR_BAD_RESPONSE',
			undefined,
			undefined,
			answer,
		);
		const failure = readFailure(new NodeApiError(NODE, error as unknown as JsonObject));
		expect(failure).toMatchObject({ kind: 'uncertain', facts: { httpCode: 'ECONNRESET' } });
	});

	test('of a stopped execution is cancelled', () => {
		expect(readFailure(networkError('ERR_CANCELED')).kind).toBe('cancelled');
	});

	test.each([
		['before it sends', (blocked: Error) => new NodeApiError(NODE, blocked as never)],
		['while it connects', (blocked: Error) => networkErrorBy(AxiosError.from(blocked))],
	])("of n8n's protection of private networks, %s, is blocked", (_when, wrap) => {
		const blocked = Object.assign(new Error('The request was blocked'), {
			name: 'SsrfBlockedIpError',
		});
		expect(readFailure(wrap(blocked))).toMatchObject({ kind: 'blocked', facts: {} });
	});

	test('that does not come from the HTTP client was never sent, and keeps its words', () => {
		const error = new NodeApiError(
			NODE,
			new Error('The Base URL is empty.') as unknown as JsonObject,
		);
		expect(readFailure(error)).toMatchObject({
			kind: 'unsent',
			facts: { serviceMessage: 'The Base URL is empty.' },
		});
	});

	test('that is known already stays as it is', () => {
		const failure = new RequestFailure('rejected');
		expect(readFailure(failure)).toBe(failure);
	});
});
