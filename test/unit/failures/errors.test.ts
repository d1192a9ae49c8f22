import type { JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { AxiosResponse } from 'axios';
import { AxiosError } from 'axios';
import { classifyError, classifyStreamError } from '../../../nodes/VideoGeneration/failures/errors';
import type { FailureKind } from '../../../nodes/VideoGeneration/failures/failure';
import {
	isAboutCredits,
	isNotFound,
	RequestFailure,
} from '../../../nodes/VideoGeneration/failures/failure';
import { mayBeCarriedOut } from '../../../nodes/VideoGeneration/failures/fate';
import { createTestNode } from '../../support/engine/createTestNode';

const wrapError = (error: Error) =>
	new NodeApiError(createTestNode('N', 't'), error as unknown as JsonObject);

const CERTIFICATE_CODES = [
	...['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'SELF_SIGNED_CERT_IN_CHAIN'],
	...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'],
];

describe.each([
	['current n8n', wrapError],
	[
		// n8n before 2.34 keeps only the code of the error that its HTTP client has thrown.
		'n8n before 2.34',
		(error: Error) => Object.assign(wrapError(error), { cause: undefined }),
	],
])('An error instead of a response, as %s passes it on,', (_n8n, wrap) => {
	test.each<[code: string, message: string, kind: FailureKind, httpCode: string | undefined]>([
		['ECONNREFUSED', 'connect ECONNREFUSED', 'unreached', 'ECONNREFUSED'],
		['ENOTFOUND', 'getaddrinfo ENOTFOUND', 'unreached', 'ENOTFOUND'],
		['EAI_AGAIN', 'getaddrinfo EAI_AGAIN', 'unreached', 'EAI_AGAIN'],
		['EHOSTUNREACH', 'connect EHOSTUNREACH', 'unreached', 'EHOSTUNREACH'],
		['EHOSTUNREACH', 'read EHOSTUNREACH', 'uncertain', 'ECONNRESET'],
		...CERTIFICATE_CODES.map((code): [string, string, FailureKind, string] => {
			return [code, 'certificate', 'unsent', code];
		}),
		['ECONNRESET', 'before secure TLS connection was established', 'unsent', 'ECONNRESET'],
		['EPROTO', 'write EPROTO 40:error:SSL routines:get:wrong version number:', 'unsent', 'EPROTO'],
		['EPROTO', 'failed', 'uncertain', 'ECONNRESET'],
		['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'failed', 'uncertain', 'ECONNRESET'],
		['ECONNABORTED', 'failed', 'uncertain', 'ECONNABORTED'],
		['ETIMEDOUT', 'failed', 'uncertain', 'ETIMEDOUT'],
		['EPIPE', 'failed', 'uncertain', 'EPIPE'],
		['SOMETHING_NEW', 'failed', 'uncertain', 'ECONNRESET'],
		['ERR_CANCELED', 'failed', 'cancelled', undefined],
	])('with the code %s, "%s", is %s', (code, message, kind, httpCode) => {
		const syscall = /^(connect|getaddrinfo|read) /.exec(message)?.[1];
		const cause = Object.assign(new Error(message), { code, syscall });
		const error = wrap(Object.assign(new AxiosError(message, code), { cause }));
		expect(classifyError(error).facts).toEqual({ kind, httpCode });
	});

	test('of a response that broke off in its middle leaves the fate open, whatever its status', () => {
		const response = { status: 200 } as AxiosResponse;
		const error = new AxiosError(
			...(['stream has been aborted', 'ERR_BAD_RESPONSE', undefined, undefined, response] as const),
		);
		expect(classifyError(wrap(error)).facts).toEqual({ kind: 'uncertain', httpCode: 'ECONNRESET' });
	});

	test('that does not come from the HTTP client was never sent, and keeps its words', () => {
		expect(classifyError(wrap(new Error("'Base URL' is empty."))).facts).toEqual({
			...{ kind: 'unsent', serviceMessage: "'Base URL' is empty." },
		});
	});
});

describe('An error', () => {
	test.each([
		['before it sends', (blocked: Error) => blocked],
		['while it connects', (blocked: Error) => AxiosError.from(blocked)],
	])("of n8n's protection of private networks, %s, is blocked", (_when, wrap) => {
		const blocked = Object.assign(new Error('blocked'), { name: 'SsrfBlockedIpError' });
		expect(classifyError(wrapError(wrap(blocked))).facts).toEqual({ kind: 'blocked' });
	});

	test('that is a failure already stays what it is', () => {
		const failure = new RequestFailure({ kind: 'rejected' });
		expect(classifyError(failure)).toBe(failure);
	});

	test('of a stream is a timeout or a broken connection', () => {
		const late = Object.assign(new Error('late'), { code: 'ETIMEDOUT' });
		expect(classifyStreamError(late).facts.httpCode).toBe('ETIMEDOUT');
		expect(classifyStreamError(new Error('aborted')).facts.httpCode).toBe('ECONNRESET');
		expect(classifyStreamError(new AxiosError('canceled', 'ERR_CANCELED')).kind).toBe('cancelled');
	});
});

const ALWAYS: FailureKind[] = ['uncertain', 'unreadable', 'incomplete'];
const NEVER: FailureKind[] = [
	...(['rateLimited', 'unreached', 'blocked', 'unsent'] as const),
	...(['notGenerated', 'timedOut', 'storageFailed'] as const),
];

test.each([
	...ALWAYS.map((kind) => [kind, {}, true] as const),
	...NEVER.map((kind) => [kind, {}, false] as const),
	['rejected', { httpCode: '403' }, false],
	['rejected', { httpCode: '409' }, true],
	['redirected', { httpCode: '308' }, false],
	['redirected', { httpCode: '303' }, true],
	['cancelled', { tries: 1 }, true],
	['cancelled', { tries: 0 }, false],
	['unsuccessful', { bodyStatus: 'error' }, false],
	['unsuccessful', { bodyStatus: 'ok' }, true],
	['unsuccessful', {}, true],
] as const)('A clear that was %s %j may have been carried out: %p', (kind, facts, expected) => {
	expect(mayBeCarriedOut(new RequestFailure({ kind, ...facts }))).toBe(expected);
});

test('A failure is a missing item by its 404 alone', () => {
	expect(isNotFound(new RequestFailure({ kind: 'rejected', httpCode: '404' }))).toBe(true);
	expect(isNotFound(new RequestFailure({ kind: 'rejected', httpCode: '403' }))).toBe(false);
});

test.each([
	['rejected', '402', '', true],
	['rejected', '400', 'Insufficient credits', true],
	['rejected', '403', 'You need 1 credit more', true],
	['unsuccessful', '200', 'No credits left', true],
	['rejected', '400', 'You have used all your credits.', true],
	['rejected', '400', 'Accredited users only', false],
	['rejected', '400', 'No credits were charged.', false],
	['rejected', '400', 'No credits were used.', false],
	['uncertain', '500', 'credits service down', false],
] as const)('A failure (%s, %s, "%s") is about credits: %p', (kind, httpCode, words, expected) => {
	const failure = new RequestFailure({ kind, httpCode, serviceMessage: words });
	expect(isAboutCredits(failure)).toBe(expected);
});
