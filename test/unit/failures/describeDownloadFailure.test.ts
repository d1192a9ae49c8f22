import { createApiError } from '../../../nodes/VideoGeneration/failures/createApiError';
import { describeFailure } from '../../../nodes/VideoGeneration/failures/describeFailure';
import { describeDownloadFailure } from '../../../nodes/VideoGeneration/failures/describeDownloadFailure';
import type {
	FailureFacts,
	FailureKind,
} from '../../../nodes/VideoGeneration/failures/requestFailure';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/requestFailure';
import { VIDEO_HOST } from '../../../nodes/VideoGeneration/download/downloadPolicy';
import { createTestNode } from '../../support/engine/createTestNode';

const AT = { address: 'https://files.example/a.mp4' };
const FAILURES: [FailureKind, FailureFacts, RegExp][] = [
	['rateLimited', { httpCode: '429', tries: 4 }, /too many requests.*4 times.*"Max Tries"/],
	['rateLimited', { httpCode: '429', retryAfterMs: 600_000 }, /in 10 minutes/],
	['unreached', { httpCode: 'ENOTFOUND' }, /not be reached \(ENOTFOUND\).*"Video URL"/],
	['uncertain', { httpCode: '503', tries: 4 }, /failed to send the video \(503\).*4 times/],
	['uncertain', { httpCode: '503', retryAfterMs: 600_000 }, /in 10 minutes/],
	['uncertain', { httpCode: 'ECONNABORTED' }, /did not answer in time/],
	['uncertain', { httpCode: 'ETIMEDOUT', receivedBytes: 5 }, /stopped sending after 5 bytes/],
	['uncertain', { httpCode: 'ECONNRESET' }, /broke before the video came/],
	[
		'uncertain',
		{ httpCode: 'ECONNRESET', receivedBytes: 5, announcedBytes: 9 },
		/broke after 5 of 9 bytes/,
	],
	[
		'uncertain',
		{ httpCode: '200', found: 'cutOff', receivedBytes: 5, announcedBytes: 5 },
		/cut off: its file ends after 5 bytes/,
	],
	['redirected', { httpCode: '302' }, /redirects without saying where.*"Video URL"/],
	['redirected', { found: 'tooMany' }, /redirects again and again/],
	['redirected', { httpCode: '302', found: 'notWeb', location: 'file:' }, /redirects to "file:"/],
	['rejected', { httpCode: '404' }, /no video.*"Video URL" may have expired.*Video > Get Many/],
	['rejected', { httpCode: '410' }, /no video.*"Video URL" may have expired.*Video > Get Many/],
	['rejected', { httpCode: '401' }, /not allow.*Video > Get Many.*key is not sent/],
	['rejected', { httpCode: '403' }, /not allow.*Video > Get Many.*key is not sent/],
	['rejected', { httpCode: '402' }, /rejected the request \(402\).*"Video URL"/],
	['unreadable', { httpCode: '200', found: 'html' }, /web page.*"Video URL"/],
	['unreadable', { httpCode: '200', found: 'empty' }, /empty file.*"Video URL"/],
	['unreadable', { httpCode: '200', found: 'image/png' }, /not a video, but image\/png/],
	['unreadable', { httpCode: '200', found: '' }, /What came is not a video /],
	[
		'unsent',
		{ serviceMessage: '"Video URL" is empty. Enter it. Nothing was sent.' },
		/^"Video URL" is empty Enter it\. Nothing was sent\.$/,
	],
	['unsent', { serviceMessage: 'The host is blocked' }, /^The host is blocked Check "Video URL"/],
	['blocked', {}, /blocked by n8n.*a\.mp4 was not asked.*N8N_SSRF_ALLOWED_IP_RANGES/],
	['unsent', {}, /could not be asked for/],
	['cancelled', {}, /canceled/],
	['unstored', { serviceMessage: 'ENOSPC: no space left' }, /not store.*ENOSPC.*room/],
	[
		'unexpected',
		{ httpCode: 'CERT_HAS_EXPIRED', serviceMessage: 'certificate has expired' },
		/certificate has expired.*"Video URL"/,
	],
	['unexpected', { httpCode: 'X' }, /failed: "X"/],
];

describe('The error text of a download', () => {
	test.each(FAILURES)('for %s %j says what happened and what to do', (kind, facts, text) => {
		const failure = new RequestFailure(kind, { ...AT, ...facts });
		const { message, description } = describeDownloadFailure(failure);
		const all = `${message} ${description}`;
		expect(message).toMatch(/^[A-Zn"][^\n]{10,}/);
		expect(message).not.toMatch(/\.$/);
		expect(description).toMatch(/^[A-Zh][^\n]{10,}\.$/);
		expect(all).not.toMatch(/undefined|null|NaN|\[object|\s{2}|\(\)/);
		expect(all).toMatch(text);
	});

	test('reaches the user as it is written, also where it sounds like one of the service', () => {
		const node = createTestNode('N', 't');
		for (const [kind, facts] of FAILURES) {
			const failure = new RequestFailure(kind, { ...AT, ...facts });
			const error = createApiError(node, failure, VIDEO_HOST);
			expect({ message: error.message, description: error.description }).toEqual(
				describeDownloadFailure(failure),
			);
			expect(describeFailure(failure, VIDEO_HOST)).toEqual(describeDownloadFailure(failure));
			expect(error.httpCode).toBe(facts.httpCode ?? 'none');
		}
	});
});
