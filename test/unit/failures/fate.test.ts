import { readAddResponse } from '../../../nodes/VideoGeneration/adds/addResponse';
import { findProof } from '../../../nodes/VideoGeneration/failures/errors';
import type { Fate } from '../../../nodes/VideoGeneration/failures/failure';

const URL = 'https://api.example.com/v1/queue/add';

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
