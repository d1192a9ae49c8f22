import { type JsonObject, NodeApiError } from 'n8n-workflow';
import { AxiosError, type AxiosResponse } from 'axios';
import {
	classifyError,
	createApiError,
	findProof,
	putAllInMessage,
} from '../../../nodes/VideoGeneration/failures/errors';
import {
	type FailureFacts,
	type Fate,
	type FailureKind,
	isAboutCredits,
	isLasting,
	RequestFailure,
} from '../../../nodes/VideoGeneration/failures/failure';
import { createTestNode } from '../../support/engine/createTestNode';

const wrapError = (error: Error) =>
	new NodeApiError(createTestNode('N', 't'), error as unknown as JsonObject);

// n8n before 2.34 keeps only the code of the error that its HTTP client has thrown.
describe.each([
	['current n8n', wrapError],
	['n8n before 2.34', (error: Error) => Object.assign(wrapError(error), { cause: undefined })],
])('An error instead of a response, as %s passes it on,', (_n8n, wrap) => {
	test.each<[code: string, message: string, kind: FailureKind, httpCode: string | undefined]>([
		['ECONNREFUSED', 'connect ECONNREFUSED', 'unreached', 'ECONNREFUSED'],
		['ENOTFOUND', 'getaddrinfo ENOTFOUND', 'unreached', 'ENOTFOUND'],
		['EHOSTUNREACH', 'read EHOSTUNREACH', 'uncertain', 'ECONNRESET'],
		['CERT_HAS_EXPIRED', 'certificate', 'unsent', 'CERT_HAS_EXPIRED'],
		['ECONNRESET', 'before secure TLS connection was established', 'unreached', 'ECONNRESET'],
		['EPROTO', 'write EPROTO 40:error:SSL routines:get:wrong version number:', 'unsent', 'EPROTO'],
		['ECONNABORTED', 'failed', 'uncertain', 'ETIMEDOUT'],
		['ETIMEDOUT', 'failed', 'uncertain', 'ETIMEDOUT'],
		['ERR_FR_TOO_MANY_REDIRECTS', 'failed', 'redirected', undefined],
		['SOMETHING_NEW', 'failed', 'uncertain', 'ECONNRESET'],
		['ERR_CANCELED', 'failed', 'uncertain', 'ETIMEDOUT'],
	])('with the code %s, "%s", is %s', (code, message, kind, httpCode) => {
		const syscall = /^(connect|getaddrinfo|read) /.exec(message)?.[1];
		const cause = Object.assign(new Error(message), { code, syscall });
		const error = wrap(Object.assign(new AxiosError(message, code), { cause }));
		const proof = /^(unreached|unsent)$/.test(kind) ? { fate: 'notSent' } : {};
		expect(classifyError(error).facts).toEqual({ kind, httpCode, ...proof });
	});

	test.each([
		['127.0.0.1:3456', '127.0.0.1:3456'],
		['::1:3456', '::1:3456'],
		['10.0.0.1:3456', undefined],
	])('of a connection to %s knows the loopback address %p', (address, loopback) => {
		const message = `connect ECONNREFUSED ${address}`;
		const cause = Object.assign(new Error(message), { code: 'ECONNREFUSED', syscall: 'connect' });
		const error = wrap(Object.assign(new AxiosError(message, cause.code), { cause }));
		expect(classifyError(error).facts).toMatchObject({ kind: 'unreached', loopback });
	});

	test('of a response that broke off in its middle leaves the fate open, whatever its status', () => {
		const broken = new AxiosError('stream has been aborted', 'ERR_BAD_RESPONSE');
		broken.response = { status: 200 } as AxiosResponse;
		expect(classifyError(wrap(broken)).facts).toEqual({
			kind: 'uncertain',
			httpCode: 'ECONNRESET',
		});
	});

	test('that does not come from the HTTP client was never sent, and keeps its words', () => {
		const { facts } = classifyError(wrap(new Error("'Base URL' is empty.")));
		expect(facts).toEqual({ kind: 'unsent', serviceMessage: "'Base URL' is empty." });
	});
});

describe('An add that failed with an error', () => {
	const root = (error: object, levels = 2): unknown =>
		levels === 0 ? error : { name: 'Error', cause: root(error, levels - 1) };

	test.each<[unknown, Fate]>([
		[root({ code: 'EHOSTUNREACH', syscall: 'connect' }), 'notSent'],
		[root({ code: 'ENOTFOUND', syscall: 'getaddrinfo' }), 'notSent'],
		[root({ code: 'ECONNREFUSED' }), 'unknown'],
		[root({ code: 'EPROTO', syscall: 'write' }), 'unknown'],
		[root({ code: 'ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED' }), 'unknown'],
		[root({ code: 'ERR_SSL_SSLV3_ALERT_CERTIFICATE_EXPIRED' }), 'unknown'],
		...[
			...['CERT_HAS_EXPIRED', 'CERT_NOT_YET_VALID', 'CERT_UNTRUSTED'],
			...['DEPTH_ZERO_SELF_SIGNED_CERT', 'ERR_TLS_CERT_ALTNAME_INVALID'],
			...['SELF_SIGNED_CERT_IN_CHAIN', 'UNABLE_TO_GET_ISSUER_CERT'],
			...['UNABLE_TO_GET_ISSUER_CERT_LOCALLY', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE'],
		].map((code): [unknown, Fate] => [root({ code }), 'notSent']),
		[root({ name: 'SsrfBlockedIpError', cause: { syscall: 'read' } }), 'notSent'],
		[{ errors: [{ syscall: 'connect' }, { syscall: 'connect' }] }, 'notSent'],
		[{ errors: [{ syscall: 'connect' }, { syscall: 'read' }] }, 'unknown'],
		[{ errors: [] }, 'unknown'],
		[{ messages: ['connect ECONNREFUSED ::1:80 | connect ETIMEDOUT 127.0.0.1:80'] }, 'notSent'],
		[{ messages: ['connect ECONNREFUSED ::1:80 | read ECONNRESET'] }, 'unknown'],
		[
			{ messages: [], message: 'connect ENETUNREACH ::1:80 | connect ENETUNREACH 127.0.0.1:80' },
			'notSent',
		],
		[{ messages: ['read ECONNRESET'], message: 'connect ECONNREFUSED' }, 'unknown'],
		[{ code: 'ECONNRESET', messages: ['connect ECONNREFUSED ::1:80'] }, 'unknown'],
		[{ syscall: 'read', messages: ['connect ECONNREFUSED ::1:80'] }, 'unknown'],
		[undefined, 'unknown'],
		['connect ECONNREFUSED', 'unknown'],
	])('%j is %s', (error, fate) => {
		expect(findProof(error) === undefined ? 'unknown' : 'notSent').toBe(fate);
	});

	test('that causes itself is unknown', () => {
		const error: { code: string; cause?: object } = { code: 'CERT_UNTRUSTED' };
		error.cause = { errors: [error] };
		expect(findProof(error)).toBeUndefined();
	});
});

test('An error that is a failure already stays what it is', () => {
	const failure = new RequestFailure({ kind: 'rejected' });
	expect(classifyError(failure)).toBe(failure);
});

test.each([
	[{ httpCode: '403', content: 'empty' }, 'credential-invalid'],
	[{ httpCode: '403', content: 'html' }, 'temporarily-unavailable'],
] as const)('A refusal with %j is for n8n, which pauses triggers by it, %s', (facts, cause) => {
	const failure = new RequestFailure({ kind: 'rejected', ...facts });
	const error = createApiError(createTestNode('N', 't'), failure, {});
	expect(error.failure.cause).toBe(cause);
});

test('An error that says everything in its message has no description that repeats it', () => {
	const failure = new RequestFailure({ kind: 'notGenerated', lastStatus: 'canceled' });
	const error = createApiError(createTestNode('N', 't'), failure, { queueId: 'q-1' });
	const description = error.description.replace('canceled', 'cancelled');
	putAllInMessage(error);
	expect(error.message).toBe(`The video could not be generated. ${description}`);
	expect(error.description).toBeNull();
});

test.each([
	[true, { kind: 'rejected', httpCode: '400' }],
	[true, { kind: 'notGenerated' }],
	[true, { kind: 'leftQueue' }],
	[true, { kind: 'ambiguousVideo', unidentified: { count: 0 } }],
	[false, { kind: 'ambiguousVideo', unidentified: {} }],
	[false, { kind: 'timedOut' }],
	[false, { kind: 'uncertain', httpCode: '503' }],
	// A new key and new credits count for a retry, too.
	[false, { kind: 'rejected', httpCode: '401' }],
	[false, { kind: 'unsuccessful', httpCode: '200', serviceMessage: 'No credits' }],
] as const)('It is %p that a retry meets %j again', (expected, facts) => {
	expect(isLasting(new RequestFailure(facts as FailureFacts))).toBe(expected);
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
	['rejected', '400', 'Wrong project. Your credits were not used.', false],
	['rejected', '400', 'Your credits have been returned.', false],
	['uncertain', '500', 'credits service down', false],
] as const)('A failure (%s, %s, "%s") is about credits: %p', (kind, httpCode, words, expected) => {
	const failure = new RequestFailure({ kind, httpCode, serviceMessage: words });
	expect(isAboutCredits(failure)).toBe(expected);
});
