import { createApiError } from '../../../nodes/VideoGeneration/failures/errors';
import type {
	FailureFacts,
	FailureKind,
	KnownFacts,
} from '../../../nodes/VideoGeneration/failures/failure';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/failure';
import type { FailureContext } from '../../../nodes/VideoGeneration/failures/texts';
import {
	describePaidVideos,
	describeRun,
	findText,
	TEXTS,
} from '../../../nodes/VideoGeneration/failures/texts';
import type { Operation } from '../../../nodes/VideoGeneration/item/job';
import { add } from '../../../nodes/VideoGeneration/resources/queue/add';
import { clear } from '../../../nodes/VideoGeneration/resources/queue/clear';
import { getProgress } from '../../../nodes/VideoGeneration/resources/queue/getProgress';
import { getAll } from '../../../nodes/VideoGeneration/resources/video/getAll';
import { createTestNode } from '../../support/engine/createTestNode';

/** Creates the context for the errors of a kind of operation. */
const createContext = <Order>({ texts }: Operation<Order>): FailureContext => ({ ...texts });
const ADD = createContext(add);
const CLEAR = createContext(clear);
const GET_PROGRESS = createContext(getProgress);
const READ = createContext(getAll);

/** The error that reaches the user. */
function getText(facts: KnownFacts, context: FailureContext) {
	const failure = new RequestFailure(facts as FailureFacts);
	return createApiError(createTestNode('N', 't'), failure, { queueId: 'q-1', ...context });
}

/** A message of the service, which n8n must not find in an error's message. */
const SAID = 'Your plan was canceled.';

/** Every kind of failure in each of its forms, and the text that it needs besides the service's words. */
type Row = [kind: FailureKind, facts: Partial<KnownFacts>, text: RegExp];

const DOWN = new RequestFailure({ kind: 'uncertain', httpCode: '503' });
const THREE = { count: 3, projectId: 'p' };
const STILL_QUEUED = { waitedSeconds: 5, statusSeconds: 4, lastStatus: 'canceled' };
const STILL_MADE = { ...STILL_QUEUED, isPending: true };
const LOOPBACK = { httpCode: 'ECONNREFUSED', loopback: '127.0.0.1:3456' };
const NO_HOST = { httpCode: 'ENOTFOUND' };
const EXPIRED = { httpCode: 'CERT_HAS_EXPIRED' };
const ELSEWHERE = { httpCode: '302', location: 'https://b.example' };
const UNLISTED = { unidentified: { count: 0 } };
const OF_THREE = { unidentified: THREE };
const TOO_FEW = { remainingCredits: 1, cost: 2, creditsToKeep: 3 };
const FORBIDDEN = { serviceMessage: 'Host is blocked' };

const OF_SERVICE: Row[] = [
	['rateLimited', { httpCode: '429', tries: 4 }, /too many requests.*sent 4 times/],
	['rateLimited', { httpCode: '429', retryAfterMs: 601_000 }, /in 11 minutes/],
	['unreached', { httpCode: 'ECONNREFUSED' }, /nothing accepts connections.*'Base URL'/],
	['unreached', NO_HOST, /host name is unknown.*'Base URL'/],
	['unreached', LOOPBACK, /127.0.0.1:3456 is n8n's own machine.*host\.docker\.internal/],
	['uncertain', { httpCode: '503', serviceMessage: SAID }, /failed to process the request \(503\)/],
	['uncertain', { httpCode: '503', retryAfterMs: 600_000 }, /in 10 minutes|may have been queued/],
	['uncertain', { httpCode: 'ETIMEDOUT' }, /did not answer in time/],
	['uncertain', { httpCode: 'ECONNRESET' }, /broke before its response was complete/],
	['redirected', ELSEWHERE, /to "https:.*'Base URL' to its part before '\/v1'/],
	['redirected', { httpCode: '302' }, /redirects.*'Base URL'/],
	['rejected', { httpCode: '400', serviceMessage: SAID }, /\(400\)/],
	['rejected', { httpCode: '401', serviceMessage: SAID }, /'API Key'/],
	['rejected', { httpCode: '402', serviceMessage: SAID }, /not enough credits/],
	['rejected', { httpCode: '403', serviceMessage: SAID }, /'API Key'/],
	['rejected', { httpCode: '404', serviceMessage: SAID }, /'(Base URL|Project|Queue ID)'/],
	['rejected', { httpCode: '401', content: 'html' }, /web page.*firewall.*'API Key' may be right/],
	['rejected', { httpCode: '401', content: 'empty' }, /in front of it.*'API Key'.*firewall/],
	['rejected', { httpCode: '403', content: 'other' }, /in front of it.*'API Key'.*firewall/],
	['rejected', { httpCode: '404', content: 'html' }, /^This address does not exist/],
	['rejected', { httpCode: '407' }, /^A proxy refused .* \(407\).*'Proxy' under 'Request Options'/],
	['rejected', { httpCode: '407', content: 'html' }, /^A proxy refused /],
	['rejected', { httpCode: '418' }, /\(418\)/],
	['unreadable', { httpCode: '200', content: 'html' }, /web page.*'Base URL'/],
	['unreadable', { httpCode: '200', content: 'empty' }, /empty/],
	['unreadable', { httpCode: '200', content: 'cutOff' }, /cut off/],
	['unreadable', { httpCode: '200', content: 'tooLong' }, /too long.*4 MB.*'Base URL'/],
	['unreadable', { httpCode: '200', content: 'other' }, /not JSON.*'Base URL'/],
	['unsuccessful', { httpCode: '200', serviceMessage: SAID }, /did not confirm/],
	['unsuccessful', { httpCode: '200', serviceMessage: 'No credits' }, /not .*enough credits/],
	['incomplete', { httpCode: '200', field: 'videos' }, /has no 'videos'/],
	['blocked', {}, /N8N_SSRF_ALLOWED_HOSTNAMES/],
	['unsent', { serviceMessage: 'No database' }, /^No database Open.* Nothing was sent\.$/],
	['badCredential', { problem: 'It is empty', whatToDo: 'Open.' }, /Open\. Nothing was sent\.$/],
	['unsent', EXPIRED, /secure.*\(CERT_HAS_EXPIRED\).*NODE_EXTRA_CA_CERTS/],
	['unsent', { httpCode: 'EPROTO' }, /not speak HTTPS.*http:\/\/.* Nothing was sent \(EPROTO\)\.$/],
	['unreached', { httpCode: 'ECONNRESET' }, /connection was closed before it was secure/],
	['cancelled', {}, /execution was canceled/],
	['notGenerated', { lastStatus: 'canceled' }, /not be generated.*status is "canceled".*"q-1"/],
	['ambiguousVideo', UNLISTED, /did not show its video.*'Listing Delay'.*two clocks/],
	['ambiguousVideo', OF_THREE, /of the 3 newest videos of project "p"\..*several workers/],
	['ambiguousVideo', { unidentified: { count: 2 } }, /one of the 2 newest videos\. /],
	['ambiguousVideo', { unidentified: {} }, /list of videos could not be read.*Queue > Wait/],
	[
		'timedOut',
		STILL_QUEUED,
		/5 seconds To go on .*"q-1".*"canceled" for 4 seconds\. .*"canceled" means that: .*'Completed Statuses'/,
	],
	['timedOut', STILL_MADE, /5 seconds To go on .*"q-1".*still being made/],
	['outOfTime', { leftSeconds: 12, usualSeconds: 34 }, /12 seconds are.*takes 34.*'Timeout Work/],
	[
		'tooManyVideos',
		{ maxVideos: 3 },
		/'Max Videos' under 'Options' is 3 .*the items that are left/,
	],
	['keyUsed', { uniqueKey: '7' }, /was used.*The key is "7"\. Nothing was sent.*Executions/],
	['keyDone', { uniqueKey: '7' }, /was returned before.*The key is "7"\..*error output.*loop/],
	['keyTwice', { uniqueKey: '7' }, /Another item.*The key is "7"\..*of its own for each row/],
	['timedOut', { ...STILL_QUEUED, serviceMessage: SAID }, /last check failed/],
	['leftQueue', {}, /no longer in.* "unknown"\..*Get Many/],
	['overBudget', TOO_FEW, /are 1\..*cost 2.*to Keep' is 3/],
	['creditsUnknown', { cause: DOWN }, /needs this number\. The video service failed.*\(503\)\./],
	['keysUnavailable', {}, /n8n's database/],
];

/** The same of a download, whose requests go to the video's host. */
const OF_HOST: Row[] = [
	['rateLimited', { httpCode: '429', tries: 4 }, /too many requests.*4 times.*'Max Tries'/],
	['rateLimited', { httpCode: '429', retryAfterMs: 600_000 }, /in 10 minutes/],
	['unreached', NO_HOST, /host could not be reached: its host name is unknown.*'Video'/],
	['uncertain', { httpCode: '503', tries: 4 }, /host failed to process.*\(503\).*4 times/],
	['uncertain', { httpCode: '503', retryAfterMs: 600_000 }, /in 10 minutes/],
	['unreached', LOOPBACK, /127.0.0.1:3456 is n8n's own machine.*host\.docker\.internal/],
	['uncertain', { httpCode: 'ETIMEDOUT' }, /host did not answer in time/],
	['uncertain', { httpCode: 'ECONNRESET' }, /host broke before its response/],
	['redirected', { httpCode: '302' }, /no address that can be opened.*'Video'/],
	['rejected', { httpCode: '404' }, /no video.*'Video' may have expired.*Video > Get Many/],
	['rejected', { httpCode: '401' }, /not allow.*Video > Get Many.*key is not sent/],
	['rejected', { httpCode: '407' }, /^A proxy refused .*'Proxy' under 'Request Options'/],
	['rejected', { httpCode: '402' }, /not allow the download \(402\).*'Video'/],
	['unreadable', { httpCode: '200', content: 'html' }, /web page.*'Video'/],
	['unreadable', { httpCode: '200', content: 'empty' }, /empty file.*'Video'/],
	['unreadable', { httpCode: '200', content: 'other' }, /something that is not a video/],
	['unsent', FORBIDDEN, /^Host is blocked Check 'Video' of this item: \S+a\.mp4\.$/],
	['unsent', EXPIRED, /secure.*host.*CERT_HAS_EXPIRED.*'Video'.*NODE_EXTRA/],
	['blocked', {}, /n8n blocks.*'Video'.*a\.mp4\. .*N8N_SSRF_ALLOWED_IP_RANGES/],
	['cancelled', {}, /canceled Nothing more was sent/],
	['notAnAddress', {}, /not a web address Get the video again/],
	['storageFailed', { serviceMessage: 'No space' }, /not store.*enough storage.*No space/],
];
const AT = { address: 'https://files.example/a.mp4', addressField: "'Video'" };

const CASES = [
	...Object.entries({ ADD, CLEAR, GET_PROGRESS, READ }).flatMap(([name, context]) =>
		OF_SERVICE.map(([kind, facts, text]) => [name, { kind, ...facts }, context, text] as const),
	),
	...OF_HOST.map(
		([kind, facts, text]) => ['DOWNLOAD', { ...AT, kind, ...facts }, {}, text] as const,
	),
];

describe('An error text', () => {
	test.each(CASES)(
		'of %s for %j says what happened and what to do',
		(_, facts, context, expected) => {
			const { message, description, httpCode, messages } = getText(facts, context);
			const all = `${message} ${description}`;
			expect(all).toMatch(expected);
			// Whole sentences with all their facts. The last one may be the service's own words.
			expect(message).toMatch(/^(['A-Z]|n8n)[^\n]{8,}[^.\s]$/);
			expect(description).toMatch(/^(['A-Z]|http|n8n)[^\n]{4,}\.$/);
			expect(all).not.toMatch(/undefined|null|NaN|\[object|\s{2}|\(\)|\.\./);
			const ours = all.replaceAll(/"[^"]*"/g, '');
			expect(ours).not.toMatch(/\b(error(?! output)|problem|failure|mistake)s?\b/i);
			if (facts.serviceMessage === SAID) expect(description).toContain(SAID);
			expect({ httpCode, messages }).toEqual({ httpCode: facts.httpCode ?? null, messages: [] });
		},
	);

	test('of every entry of the table is read above', () => {
		const read = CASES.map(([, facts, context]) =>
			findText(new RequestFailure(facts as FailureFacts), context),
		);
		expect(Object.entries(TEXTS).filter(([, text]) => !read.includes(text))).toEqual([]);
	});

	test('has the words of a service, a host or a store in its description alone: n8n searches the message', () => {
		const words = { serviceMessage: SAID, location: SAID, lastStatus: SAID };
		for (const [, facts, context] of CASES) {
			if (/^(unsent|cancelled)$/.test(facts.kind)) continue;
			expect(getText({ ...facts, ...words }, context).message).not.toMatch(/cancell?ed/i);
		}
	});

	test("of a trigger names no 'Request Options', which only the other node has", () => {
		for (const [, facts] of CASES) {
			const { description } = getText(facts, { isTrigger: true, nextTry: 'The next poll.' });
			expect(description).not.toMatch(/'Proxy'|Options' in the node/);
		}
	});

	test('shows no markup of a service or an item', () => {
		const [queueId, lastStatus, uniqueKey, address] = Array<string>(4).fill('<img src=x>q-7');
		for (const [, facts, context] of CASES) {
			const marked = { ...facts, lastStatus, uniqueKey, ...(facts.addressField && { address }) };
			const { message, description } = getText(marked, { ...context, queueId });
			expect(message + description).not.toContain('<');
		}
	});

	test.each([
		{ kind: 'uncertain', httpCode: '500' },
		{ kind: 'unreadable', httpCode: '200', content: 'cutOff' },
		{ kind: 'incomplete', httpCode: '200', field: 'newQueueItem' },
		{ kind: 'unsuccessful', httpCode: '200', bodyStatus: 'ok' },
		{ kind: 'rejected', httpCode: '409', serviceMessage: 'Not enough credits' },
		{ kind: 'redirected', httpCode: '303', location: 'https://other.example.com/' },
		{ kind: 'rejected', httpCode: '404' },
	] as const)('of an add of unknown fate (%j) says so first, and how to check', (facts) => {
		const { description } = getText(facts, { ...ADD, mayBeQueued: true });
		expect(description).toMatch(/^The video may have been queued.*Account > Get.*Video > Get Many/);
		expect(description).not.toMatch(/try again later|not queued/i);
		expect(getText(facts, READ).description).not.toMatch(/queued/);
	});

	test('of a video that is queued or finished says that it is paid for, names it, and says how to go on', () => {
		const ofFile = { addressField: "'videoUrl'" };
		for (const [kind, facts] of OF_SERVICE) {
			const describe = (more: Partial<KnownFacts>, canBeRetried: boolean) =>
				getText({ kind, ...facts, ...more }, { ...READ, isQueued: true, canBeRetried }).description;
			if (/^(credits|over|key)/.test(kind)) continue;
			expect(describe({}, true)).toContain('"q-1"');
			if (/^(notGenerated|timedOut|leftQueue|ambiguous)/.test(kind)) {
				// The end of a wait says by itself what became of the video.
				expect(describe({}, true)).not.toContain('queued and paid for.');
				continue;
			}
			expect(describe({}, false)).toMatch(/paid for\. To go on waiting for it, use Queue > Wait/);
			expect(describe(ofFile, false)).toMatch(
				/paid for\. To download it without paying again, use Video > Download\./,
			);
			// n8n offers no retry of an execution that was stopped or succeeds, or to an agent.
			if (kind === 'cancelled') continue;
			expect(describe({}, true)).toMatch(/^The video is queued and paid for\..*retry.*Queue > W/);
			expect(describe({}, true)).not.toContain('Nothing was sent');
			expect(describe(ofFile, true)).toMatch(/^The video is finished.*without paying again, retry/);
		}
	});

	const PAID = { ...READ, isQueued: true, canBeRetried: true };
	const UNKNOWN = { ...ADD, mayBeQueued: true };
	const NO_RETRY = /^(?!.*retry)/is;
	const PAGE = { httpCode: '200', content: 'html' } as const;
	const REFUSED = { httpCode: '402', fate: 'refused' } as const;
	const of404 = { httpCode: '404' };
	const LINK = { ...AT, ...of404, addressField: "'url'" };
	const of400 = { httpCode: '400' };
	test.each<[string, FailureKind, Partial<KnownFacts>, FailureContext, RegExp]>([
		['the retry that helps', 'timedOut', STILL_QUEUED, PAID, /'Retry with currently saved wor/],
		['a retry', 'timedOut', STILL_MADE, PAID, /retry this execution/],
		['a retry', 'ambiguousVideo', { unidentified: {} }, PAID, /retry this execution/],
		['no retry', 'ambiguousVideo', OF_THREE, PAID, NO_RETRY],
		['no retry', 'ambiguousVideo', UNLISTED, PAID, NO_RETRY],
		['no retry', 'notGenerated', {}, PAID, NO_RETRY],
		['no retry', 'leftQueue', {}, PAID, NO_RETRY],
		['no retry', 'cancelled', {}, PAID, NO_RETRY],
		['the fields of an add', 'rejected', of400, ADD, /Check 'Project'.*'Custom Prompt'/],
		['the field of an add', 'rejected', of404, ADD, /Check 'Project'/],
		['the field of a clear', 'rejected', of400, CLEAR, /Check 'Queue ID'/],
		['the field of a clear', 'rejected', of404, CLEAR, /Check 'Queue ID'/],
		['the field of a check', 'rejected', of404, GET_PROGRESS, /Check 'Queue ID'/],
		['the field of a list', 'rejected', of404, READ, /check 'Base URL'/],
		['the field of a link', 'rejected', LINK, READ, /in 'url' may/],
		['its node on a limit', 'rateLimited', AT, { rateLimitAdvice: 'Come back.' }, /Come back\.$/],
		// What is wrong is corrected before anything can be checked.
		['the page first', 'unreadable', PAGE, UNKNOWN, /^'Base URL'.*The video may.*Account > Get/],
		['that nothing was queued', 'rejected', REFUSED, ADD, /^This video was not queued/],
	])('names %s: %s with %j', (_what, kind, facts, context, advice) => {
		expect(getText({ kind, ...facts }, context).description).toMatch(advice);
	});
});

const PAID = [
	{ queueId: 'q1', status: 'pending' },
	{ queueId: 'q2', status: '' },
];
const UNKNOWN = [
	{ itemIndex: 0, queueId: undefined },
	{ itemIndex: 3, queueId: 'q4' },
];

test.each([
	[{}, /^$/],
	[
		{ paid: PAID },
		/^Already queued and.*: q1 \(pending\), q2\. .*, select Retry under Exec.*again\.$/,
	],
	[{ paid: PAID, haveKeys: true }, /^Already queued and.*, select Retry under Executions\.$/],
	[
		{ paid: PAID, isLasting: true },
		/q2\. .*'On Error'.*'Continue', and select 'Retry with currently saved workflow' under Exec/,
	],
	[
		{ paid: PAID, canBeRetried: false, isLasting: true },
		/^Queued and paid for, so do not.*: q1 \(pending\), q2\.$/,
	],
	[{ unknown: UNKNOWN }, /^Other items that may.*: 1, 4 \(its response names "q4"\)\.$/],
])('A failed run says what it has paid for: %j', (facts, expected) => {
	const none = { paid: [], unknown: [], canBeRetried: true, haveKeys: false, isLasting: false };
	expect(describePaidVideos({ ...none, ...facts })).toMatch(expected);
});

const TWO = { count: 2, projectId: 'p' };
const OF_SIX = [1, 2, 3, 4, 5, 6].map((p) => ({ ...TWO, projectId: `p${p}` }));

// test/promises/editor.test.ts has those that a run of several items shows.
test.each([
	['that the same can be, which are named once', [TWO, TWO], /told apart[^"]*: 2\.[^"]*"p"[^"]*$/],
	['that are not listed, or whose list could not be read', [{ count: 0 }, {}], /but.*: 2\. /],
	['of many projects, of which five are named', OF_SIX, /: 6\. .*"p1".*"p5"(?!.*"p6")/],
	[
		'that a list lacked',
		[TWO],
		/: 1\. .*Get Many, among the 2 newest.*raise 'Listing Delay'/,
		true,
	],
])('A run hints at videos %s', (_which, unidentified, expected, isListUnreliable = false) => {
	const hints = describeRun({ mayBeQueued: 0, leftOut: 0, unidentified, isListUnreliable });
	expect(hints).toEqual([expect.stringMatching(expected)]);
});
