import type { FailureFacts } from '../../../nodes/VideoGeneration/failures/failure';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/failure';
import type { FailureContext } from '../../../nodes/VideoGeneration/failures/texts';
import { describeFailure } from '../../../nodes/VideoGeneration/failures/texts';
import { isErrorDocumented } from '../../support/isErrorDocumented';

const describeDownload = (failure: RequestFailure, context: Partial<FailureContext> = {}) =>
	describeFailure(failure, { requestKind: 'read', ...context });

const AT = { address: 'https://files.example/a.mp4' };
const FAILURES: [FailureFacts, RegExp][] = [
	[{ kind: 'rateLimited', httpCode: '429', tries: 4 }, /too many requests.*4 times.*'Max Tries'/],
	[{ kind: 'rateLimited', httpCode: '429', retryAfterMs: 600_000 }, /in 10 minutes/],
	[{ kind: 'unreached', httpCode: 'ENOTFOUND' }, /not be reached \(ENOTFOUND\).*'Video URL'/],
	[{ kind: 'uncertain', httpCode: '503', tries: 4 }, /failed to send the video \(503\).*4 times/],
	[{ kind: 'uncertain', httpCode: '503', retryAfterMs: 600_000 }, /in 10 minutes/],
	[{ kind: 'uncertain', httpCode: 'ECONNABORTED' }, /did not answer in time/],
	[{ kind: 'uncertain', httpCode: 'ETIMEDOUT', receivedBytes: 5 }, /stopped sending after 5 bytes/],
	[
		{
			kind: 'uncertain',
			httpCode: 'ETIMEDOUT',
			isTooSlow: true,
			receivedBytes: 5,
			announcedBytes: 9,
		},
		/too slow: only 5 of 9 bytes/,
	],
	[{ kind: 'uncertain', httpCode: 'ECONNRESET' }, /broke before the video arrived/],
	[
		{ kind: 'uncertain', httpCode: 'ECONNRESET', receivedBytes: 5, announcedBytes: 9 },
		/broke after 5 of 9 bytes/,
	],
	[{ kind: 'redirected', httpCode: '302' }, /not a web address.*'Video URL'/],
	[{ kind: 'redirected', isTooMany: true }, /redirects too many times/],
	[{ kind: 'redirected', httpCode: '302', location: 'file:' }, /redirects to "file:"/],
	[
		{ kind: 'rejected', httpCode: '404' },
		/no video.*'Video URL' may have expired.*Video > Get Many/,
	],
	[
		{ kind: 'rejected', httpCode: '410' },
		/no video.*'Video URL' may have expired.*Video > Get Many/,
	],
	[{ kind: 'rejected', httpCode: '401' }, /not allow.*Video > Get Many.*key is not sent/],
	[{ kind: 'rejected', httpCode: '403' }, /not allow.*Video > Get Many.*key is not sent/],
	[{ kind: 'rejected', httpCode: '402' }, /rejected the request \(402\).*'Video URL'/],
	[{ kind: 'unreadable', httpCode: '200', content: 'html' }, /web page.*'Video URL'/],
	[{ kind: 'unreadable', httpCode: '200', content: 'empty' }, /empty file.*'Video URL'/],
	[
		{ kind: 'unreadable', content: 'tooLarge', limit: '16 GiB' },
		/too large: it has more than 16 GiB/,
	],
	[
		{ kind: 'unreadable', httpCode: '200', content: 'other', contentType: 'image/png' },
		/not a video.*"image\/png"/,
	],
	[{ kind: 'unreadable', httpCode: '200', content: 'other' }, /something that is not a video/],
	[
		{ kind: 'unsent', serviceMessage: 'The host is blocked' },
		/^The host is blocked Check 'Video URL'/,
	],
	[
		{ kind: 'unsent', httpCode: 'CERT_HAS_EXPIRED' },
		/secure connection.*CERT_HAS_EXPIRED.*'Video URL'/,
	],
	[{ kind: 'blocked' }, /n8n blocks.*a\.mp4 was not requested.*N8N_SSRF_ALLOWED_IP_RANGES/],
	[{ kind: 'cancelled' }, /canceled/],
	[{ kind: 'notAnAddress' }, /not a web address Get the video again/],
	[
		{ kind: 'storageFailed', serviceMessage: 'ENOSPC: no space left' },
		/not store.*enough storage.*ENOSPC/,
	],
];

describe('The error text of a download', () => {
	test.each(FAILURES)('for %j says what happened and what to do', (facts, text) => {
		const failure = new RequestFailure({ ...AT, ...facts });
		const { message, description } = describeDownload(failure);
		const all = `${message} ${description}`;
		expect(message).toMatch(/^[A-Zn'][^\n]{8,}[^.]$/);
		expect(description).toMatch(/^[A-Zh][^\n]{5,}[."]$/);
		expect(all).not.toMatch(/undefined|null|NaN|\[object|\s{2}|\(\)/);
		expect(all).toMatch(text);
		// A message without a code is a sentence of n8n or of the node.
		const isOurs = facts.kind !== 'unsent' || facts.httpCode !== undefined;
		expect([message].filter((each) => isOurs && !isErrorDocumented(each))).toEqual([]);
	});

	test('names the field and the advice of its node', () => {
		const failure = new RequestFailure({ kind: 'rateLimited', ...AT, httpCode: '429' });
		const { description } = describeDownload(failure, { rateLimitAdvice: 'Come back.' });
		expect(description).toMatch(/Come back\.$/);
		const facts = { ...AT, httpCode: '404', addressField: "'url'" };
		const gone = new RequestFailure({ kind: 'rejected', ...facts });
		expect(describeDownload(gone).description).toContain("in 'url' may");
	});

	test('has the words of a store or a host in its description alone', () => {
		const WORD = 'canceled/canceled';
		for (const [facts] of FAILURES.filter(
			([{ kind }]) => !['unsent', 'cancelled'].includes(kind),
		)) {
			const words = { serviceMessage: WORD, location: WORD, address: WORD, contentType: WORD };
			const failure = new RequestFailure({ ...facts, ...words });
			expect(describeDownload(failure).message).not.toContain('canceled');
		}
	});
});
