import { createApiError } from '../../../nodes/VideoGeneration/failures/apiError';
import { describeDownloadFailure } from '../../../nodes/VideoGeneration/failures/downloadTexts';
import type { FailureFacts, FailureKind } from '../../../nodes/VideoGeneration/failures/failure';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/failure';
import { createTestNode } from '../../support/engine/createTestNode';
import { isErrorDocumented } from '../../support/isErrorDocumented';

const AT = { address: 'https://files.example/a.mp4' };
const FAILURES: [FailureKind, FailureFacts, RegExp][] = [
	['rateLimited', { httpCode: '429', tries: 4 }, /too many requests.*4 times.*'Max Tries'/],
	['rateLimited', { httpCode: '429', retryAfterMs: 600_000 }, /in 10 minutes/],
	['unreached', { httpCode: 'ENOTFOUND' }, /not be reached \(ENOTFOUND\).*'Video URL'/],
	['uncertain', { httpCode: '503', tries: 4 }, /failed to send the video \(503\).*4 times/],
	['uncertain', { httpCode: '503', retryAfterMs: 600_000 }, /in 10 minutes/],
	['uncertain', { httpCode: 'ECONNABORTED' }, /did not answer in time/],
	['uncertain', { httpCode: 'ETIMEDOUT', receivedBytes: 5 }, /stopped sending after 5 bytes/],
	[
		'uncertain',
		{ httpCode: 'ETIMEDOUT', found: 'tooSlow', receivedBytes: 5, announcedBytes: 9 },
		/too slow: only 5 of 9 bytes/,
	],
	['uncertain', { httpCode: 'ECONNRESET' }, /broke before the video arrived/],
	[
		'uncertain',
		{ httpCode: 'ECONNRESET', receivedBytes: 5, announcedBytes: 9 },
		/broke after 5 of 9 bytes/,
	],
	['uncertain', { httpCode: '206', address: 'https://a.example' }, /failed to send.*\(206\)/],
	['redirected', { httpCode: '302' }, /redirects without saying where.*'Video URL'/],
	['redirected', { found: 'tooMany' }, /redirects too many times/],
	['redirected', { httpCode: '302', found: 'notWeb', location: 'file:' }, /redirects to "file:"/],
	['rejected', { httpCode: '404' }, /no video.*'Video URL' may have expired.*Video > Get Many/],
	['rejected', { httpCode: '410' }, /no video.*'Video URL' may have expired.*Video > Get Many/],
	['rejected', { httpCode: '401' }, /not allow.*Video > Get Many.*key is not sent/],
	['rejected', { httpCode: '403' }, /not allow.*Video > Get Many.*key is not sent/],
	['rejected', { httpCode: '402' }, /rejected the request \(402\).*'Video URL'/],
	['unreadable', { httpCode: '200', found: 'html' }, /web page.*'Video URL'/],
	['unreadable', { httpCode: '200', found: 'empty' }, /empty file.*'Video URL'/],
	['unreadable', { found: 'tooLarge', limit: '16 GiB' }, /too large: it has more than 16 GiB/],
	['unreadable', { httpCode: '200', found: 'image/png' }, /not a video.*"image\/png"/],
	['unreadable', { httpCode: '200', found: '' }, /something that is not a video/],
	['unsent', { serviceMessage: 'It is empty. Enter it.' }, /^It is empty Enter it\.$/],
	['unsent', { serviceMessage: 'The host is blocked' }, /^The host is blocked Check 'Video URL'/],
	['unsent', { httpCode: 'CERT_HAS_EXPIRED' }, /secure connection.*CERT_HAS_EXPIRED.*'Video URL'/],
	['unsent', {}, /could not be requested/],
	['blocked', {}, /n8n blocks.*a\.mp4 was not requested.*N8N_SSRF_ALLOWED_IP_RANGES/],
	['cancelled', {}, /canceled/],
	['unstored', { serviceMessage: 'ENOSPC: no space left' }, /not store.*enough storage.*ENOSPC/],
	['incomplete', {}, /download of the video failed/],
];

describe('The error text of a download', () => {
	test.each(FAILURES)('for %s %j says what happened and what to do', (kind, facts, text) => {
		const failure = new RequestFailure(kind, { ...AT, ...facts });
		const { message, description } = describeDownloadFailure(failure);
		const all = `${message} ${description}`;
		expect(message).toMatch(/^[A-Zn'][^\n]{8,}[^.]$/);
		expect(description).toMatch(/^[A-Zh][^\n]{5,}[."]$/);
		expect(all).not.toMatch(/undefined|null|NaN|\[object|\s{2}|\(\)/);
		expect(all).toMatch(text);
		// A message without a code is a sentence of n8n or of the node.
		const isOurs = kind !== 'unsent' || facts.httpCode !== undefined;
		expect([message].filter((each) => isOurs && !isErrorDocumented(each))).toEqual([]);
	});

	test('names the field and the advice of its node', () => {
		const failure = new RequestFailure('rateLimited', { ...AT, httpCode: '429' });
		const { description } = describeDownloadFailure(failure, { rateLimitAdvice: 'Come back.' });
		expect(description).toMatch(/Come back\.$/);
		const facts = { ...AT, httpCode: '404', addressField: "'url'" };
		const gone = new RequestFailure('rejected', facts);
		expect(describeDownloadFailure(gone).description).toContain("in 'url' may");
	});

	test('has the words of a store or a host in its description alone', () => {
		const WORD = 'canceled/canceled';
		for (const [kind, facts] of FAILURES.filter(
			([each]) => !['unsent', 'cancelled'].includes(each),
		)) {
			const words = { serviceMessage: WORD, location: WORD, address: WORD };
			const found = kind === 'unreadable' ? { found: WORD } : {};
			const failure = new RequestFailure(kind, { ...facts, ...words, ...found });
			expect(describeDownloadFailure(failure).message).not.toContain('canceled');
		}
	});

	test('reaches the user as it is', () => {
		const node = createTestNode('N', 't');
		for (const [kind, facts] of FAILURES) {
			const failure = new RequestFailure(kind, { ...AT, ...facts });
			const text = describeDownloadFailure(failure);
			const { message, description, httpCode } = createApiError(node, failure, text);
			expect({ message, description }).toEqual(text);
			expect(httpCode).toBe(facts.httpCode ?? 'none');
		}
	});
});
