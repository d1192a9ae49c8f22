import type { JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { AxiosResponse } from 'axios';
import { AxiosError } from 'axios';
import { readFailure } from '../../../nodes/VideoGeneration/failures/readFailure';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/requestFailure';
import { createTestNode } from '../../support/engine/createTestNode';

const NODE = createTestNode('N', 't');

const current = (error: Error) => new NodeApiError(NODE, error as unknown as JsonObject);
/** n8n before 2.34 loses what its HTTP client has thrown, but for the code. */
const withoutCause = (error: Error) => Object.assign(current(error), { cause: undefined });

describe.each([
	['current n8n', current],
	['n8n before 2.34', withoutCause],
])('An error instead of an answer, as %s hands it on,', (_n8n, wrap) => {
	const networkError = (code: string) => wrap(new AxiosError(`failed with ${code}`, code));

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
		const failure = readFailure(wrap(error));
		expect(failure).toMatchObject({ kind: 'uncertain', facts: { httpCode: 'ECONNRESET' } });
	});

	test('of a stopped execution is cancelled', () => {
		expect(readFailure(networkError('ERR_CANCELED')).kind).toBe('cancelled');
	});

	test.each([
		['before it sends', (blocked: Error) => current(blocked)],
		['while it connects', (blocked: Error) => current(AxiosError.from(blocked))],
	])("of n8n's protection of private networks, %s, is blocked", (_when, throwIt) => {
		const blocked = Object.assign(new Error('The request was blocked'), {
			name: 'SsrfBlockedIpError',
		});
		expect(readFailure(throwIt(blocked))).toMatchObject({ kind: 'blocked', facts: {} });
	});

	test('that does not come from the HTTP client was never sent, and keeps its words', () => {
		const error = wrap(new Error('The Base URL is empty.'));
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
