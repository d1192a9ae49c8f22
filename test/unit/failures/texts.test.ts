import { createApiError } from '../../../nodes/VideoGeneration/failures/errors';
import type { FailureFacts, FailureKind } from '../../../nodes/VideoGeneration/failures/failure';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/failure';
import type { FailureContext } from '../../../nodes/VideoGeneration/failures/texts';
import {
	describePaidVideos,
	describeRun,
	findText,
	HOST,
	OUT_OF_TIME,
	SERVICE,
} from '../../../nodes/VideoGeneration/failures/texts';
import type { Operation } from '../../../nodes/VideoGeneration/item/job';
import { add } from '../../../nodes/VideoGeneration/resources/queue/add';
import { clear } from '../../../nodes/VideoGeneration/resources/queue/clear';
import { getProgress } from '../../../nodes/VideoGeneration/resources/queue/getProgress';
import { getAll } from '../../../nodes/VideoGeneration/resources/video/getAll';
import { createTestNode } from '../../support/engine/createTestNode';
import { isErrorDocumented } from '../../support/isErrorDocumented';

/** Creates the context for the errors of a kind of operation. */
const createContext = <Order>({ texts }: Operation<Order>): FailureContext => ({ ...texts });
const ADD = createContext(add);
const CLEAR = createContext(clear);
const GET_PROGRESS = createContext(getProgress);
const READ = createContext(getAll);

/** The error that reaches the user. */
function getText(facts: FailureFacts, context: FailureContext) {
	const of = { queueId: 'q-1', ...context };
	const error = createApiError(createTestNode('N', 't'), new RequestFailure(facts), of);
	const { message, description, httpCode, messages } = error;
	return { message, description: description ?? '', httpCode, messages };
}

/** A message of the service, which n8n must not find in an error's message. */
const SAID = 'Your plan was canceled.';

/** Every kind of failure in each of its forms, and the text that it needs besides the service's words. */
type Row = [kind: FailureKind, facts: Partial<FailureFacts>, text: RegExp];

const THREE = { count: 3, projectId: 'p' };
const STILL_QUEUED = { waitedSeconds: 5, statusSeconds: 4, lastStatus: 'canceled' };
const LOOPBACK = { httpCode: 'ECONNREFUSED', loopback: 'http://localhost:3456' };

const OF_SERVICE: Row[] = [
	['rateLimited', { httpCode: '429', tries: 4 }, /too many requests.*sent 4 times/],
	['rateLimited', { httpCode: '429', retryAfterMs: 601_000 }, /in 11 minutes/],
	['unreached', { httpCode: 'ECONNREFUSED' }, /nothing accepts connections.*'Base URL'/],
	['unreached', { httpCode: 'ENOTFOUND' }, /host name is unknown.*'Base URL'/],
	['unreached', LOOPBACK, /http:\/\/localhost:3456 is n8n's own machine.*host\.docker\.internal/],
	['uncertain', { httpCode: '503', serviceMessage: SAID }, /failed to process the request \(503\)/],
	['uncertain', { httpCode: '503', retryAfterMs: 600_000 }, /in 10 minutes|may have been queued/],
	['uncertain', { httpCode: 'ETIMEDOUT' }, /did not answer in time/],
	['uncertain', { httpCode: 'ECONNRESET' }, /broke before its response was complete/],
	['redirected', { httpCode: '302', location: 'https://b.example' }, /to "https:.*'Base URL'/],
	['redirected', { httpCode: '302' }, /redirects.*'Base URL'/],
	['rejected', { httpCode: '400', serviceMessage: SAID }, /\(400\)/],
	['rejected', { httpCode: '401', serviceMessage: SAID }, /'API Key'/],
	['rejected', { httpCode: '402', serviceMessage: SAID }, /credits/],
	['rejected', { httpCode: '403', serviceMessage: SAID }, /'API Key'/],
	['rejected', { httpCode: '404', serviceMessage: SAID }, /'(Base URL|Project|Queue ID)'/],
	['rejected', { httpCode: '401', content: 'html' }, /web page.*firewall.*'API Key' may be right/],
	['rejected', { httpCode: '401', content: 'empty' }, /in front of it.*'API Key'.*firewall/],
	['rejected', { httpCode: '403', content: 'other' }, /in front of it.*'API Key'.*firewall/],
	['rejected', { httpCode: '404', content: 'html' }, /^This address does not exist/],
	['rejected', { httpCode: '418' }, /\(418\)/],
	['unreadable', { httpCode: '200', content: 'html' }, /web page.*'Base URL'/],
	['unreadable', { httpCode: '200', content: 'empty' }, /empty/],
	['unreadable', { httpCode: '200', content: 'cutOff' }, /cut off/],
	['unreadable', { httpCode: '200', content: 'other' }, /not JSON.*'Base URL'/],
	['unsuccessful', { httpCode: '200', serviceMessage: SAID }, /did not confirm/],
	['unsuccessful', { httpCode: '200', serviceMessage: 'No credits' }, /not .*enough credits/],
	['incomplete', { httpCode: '200', field: 'videos' }, /has no 'videos'/],
	['blocked', {}, /N8N_SSRF_ALLOWED_HOSTNAMES/],
	['unsent', { serviceMessage: 'No database' }, /^No database Open.* Nothing was sent\.$/],
	['badCredential', { problem: 'It is empty', whatToDo: 'Open.' }, /Open\. Nothing was sent\.$/],
	['unsent', { httpCode: 'CERT_HAS_EXPIRED' }, /secure.*\(CERT_HAS_EXPIRED\).*NODE_EXTRA_CA_CERTS/],
	['cancelled', {}, /execution was canceled/],
	[
		'notGenerated',
		{ lastStatus: 'canceled' },
		/could not be generated.*status is "canceled".*"q-1"/,
	],
	['ambiguousVideo', { unidentified: { count: 0 } }, /did not show its video.*'Listing Delay'/],
	[
		'ambiguousVideo',
		{ unidentified: THREE },
		/one of the 3 newest videos of project "p"\..*one worker/,
	],
	['ambiguousVideo', { unidentified: { count: 2 } }, /one of the 2 newest videos\. /],
	['ambiguousVideo', { unidentified: {} }, /list of videos could not be read.*Queue > Wait/],
	['timedOut', STILL_QUEUED, /5 seconds.*"canceled" for 4 seconds.*'Completed Statuses'.*"q-1"/],
	[
		'timedOut',
		{ ...STILL_QUEUED, isPending: true },
		/within 5 seconds.*still being made.*Queue > Wait/,
	],
	[
		'outOfTime',
		{ leftSeconds: 12, usualSeconds: 34 },
		/12 seconds are left.*takes 34.*'Timeout Workflow'/,
	],
	['keyUsed', { uniqueKey: '7' }, /was used.*The key is "7"\. Nothing was sent.*Executions/],
	['keyDone', { uniqueKey: '7' }, /came out before.*The key is "7"\..*error output.*loop/],
	['keyTwice', { uniqueKey: '7' }, /Another item.*The key is "7"\..*of its own for each row/],
	['timedOut', { ...STILL_QUEUED, serviceMessage: SAID }, /last check failed/],
	['timedOut', { waitedSeconds: 5, hasLeftQueue: true }, /no longer in.* "unknown"\..*Get Many/],
	[
		'overBudget',
		{ remainingCredits: 1, cost: 2, keep: 3 },
		/are 1\..*cost 2.*'Credits to Keep' is 3/,
	],
	[
		'creditsUnknown',
		{ cause: new RequestFailure({ kind: 'uncertain', httpCode: '503' }) },
		/'Credits to Keep' needs this number\. The video service failed.*\(503\)\./,
	],
	['keysUnavailable', {}, /n8n's database/],
];

/** The same of a download, whose requests go to the video's host. */
const OF_HOST: Row[] = [
	['rateLimited', { httpCode: '429', tries: 4 }, /too many requests.*4 times.*'Max Tries'/],
	['rateLimited', { httpCode: '429', retryAfterMs: 600_000 }, /in 10 minutes/],
	['unreached', { httpCode: 'ENOTFOUND' }, /not be reached \(ENOTFOUND\).*'Video'/],
	['uncertain', { httpCode: '503', tries: 4 }, /failed to send the video \(503\).*4 times/],
	['uncertain', { httpCode: '503', retryAfterMs: 600_000 }, /in 10 minutes/],
	['unreached', LOOPBACK, /http:\/\/localhost:3456 is n8n's own machine.*host\.docker\.internal/],
	['uncertain', { httpCode: 'ETIMEDOUT' }, /did not send the video in time/],
	['uncertain', { httpCode: 'ECONNRESET' }, /broke before the video arrived/],
	['redirected', { httpCode: '302' }, /no address that can be opened.*'Video'/],
	['rejected', { httpCode: '404' }, /no video.*'Video' may have expired.*Video > Get Many/],
	['rejected', { httpCode: '401' }, /not allow.*Video > Get Many.*key is not sent/],
	['rejected', { httpCode: '402' }, /not allow the download \(402\).*'Video'/],
	['unreadable', { httpCode: '200', content: 'html' }, /web page.*'Video'/],
	['unreadable', { httpCode: '200', content: 'empty' }, /empty file.*'Video'/],
	['unreadable', { content: 'other', contentType: 'image/png' }, /not a video.*"image\/png"/],
	['unreadable', { httpCode: '200', content: 'other' }, /something that is not a video/],
	['unsent', { serviceMessage: 'Host is blocked' }, /^Host is blocked Check 'Video'/],
	['unsent', { httpCode: 'CERT_HAS_EXPIRED' }, /secure conn.*CERT_HAS_EXPIRED.*'Video'/],
	['blocked', {}, /n8n blocks.*blocks \S+a\.mp4, or.*N8N_SSRF_ALLOWED_IP_RANGES/],
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
		'of %s for %j says what happened and what to do, and is in docs/errors.md',
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
			expect({ httpCode, messages }).toEqual({ httpCode: facts.httpCode ?? 'none', messages: [] });
			// A message without a code is a sentence of n8n or of the credential.
			if (/^(unsent|badCredential)$/.test(facts.kind) && facts.httpCode === undefined) return;
			expect([message].filter((each) => !isErrorDocumented(each))).toEqual([]);
		},
	);

	test('of every entry of the table is read above', () => {
		const read = CASES.map(([, facts, context]) => findText(new RequestFailure(facts), context));
		const entries = [...Object.entries(SERVICE), ...Object.entries(HOST)];
		expect(entries.filter(([, text]) => !read.includes(text))).toEqual([]);
		expect(isErrorDocumented(OUT_OF_TIME.message)).toBe(true);
	});

	test('has the words of a service, a host or a store in its description alone: n8n searches the message', () => {
		const words = { serviceMessage: SAID, location: SAID, contentType: SAID, lastStatus: SAID };
		for (const [, facts, context] of CASES) {
			if (/^(unsent|cancelled)$/.test(facts.kind)) continue;
			expect(getText({ ...facts, ...words }, context).message).not.toMatch(/cancell?ed/i);
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
			const describe = (more: Partial<FailureFacts>, canBeRetried: boolean) =>
				getText({ kind, ...facts, ...more }, { ...READ, isQueued: true, canBeRetried }).description;
			if (/^(credits|over|key)/.test(kind)) continue;
			expect(describe({}, true)).toContain('"q-1"');
			if (/^(notGenerated|timedOut|ambiguous)/.test(kind)) {
				// The end of a wait says by itself what became of the video.
				expect(describe({}, true)).not.toContain('queued and paid for.');
				continue;
			}
			expect(describe({}, false)).toMatch(/paid for\. To go on waiting for it, use Queue > Wait/);
			expect(describe(ofFile, false)).toMatch(/paid for\. To download it, use Video > Download\./);
			// n8n offers no retry of an execution that was stopped or succeeds, or to an agent.
			if (kind === 'cancelled') continue;
			expect(describe({}, true)).toMatch(
				/^The video is queued and paid for\..*retry.*Queue > Wait/,
			);
			expect(describe({}, true)).not.toContain('Nothing was sent');
			expect(describe(ofFile, true)).toMatch(
				/^The video is finished and paid for\. A retry of this execution only downloads it\./,
			);
		}
	});

	test.each<[FailureFacts, RegExp | undefined]>([
		[{ kind: 'timedOut', ...STILL_QUEUED }, /'Retry with currently saved workflow' under Exec/],
		[{ kind: 'timedOut', isPending: true, ...STILL_QUEUED }, /retry this execution/],
		[{ kind: 'ambiguousVideo', unidentified: {} }, /retry this execution/],
		[{ kind: 'ambiguousVideo', unidentified: THREE }, undefined],
		[{ kind: 'ambiguousVideo', unidentified: { count: 0 } }, undefined],
		[{ kind: 'notGenerated' }, undefined],
		[{ kind: 'timedOut', hasLeftQueue: true }, undefined],
		[{ kind: 'cancelled' }, undefined],
	])('of %j advises the retry that helps, and no other', (facts, advice) => {
		const { description } = getText(facts, { ...READ, isQueued: true, canBeRetried: true });
		expect(description).toMatch(advice ?? /^(?!.*retry)/is);
	});

	test.each([
		['add', ADD, '400', "'Project' and 'Custom Prompt'"],
		['add', ADD, '404', "'Project'"],
		['clear', CLEAR, '400', "'Queue ID'"],
		['clear', CLEAR, '404', "'Queue ID'"],
		['getProgress', GET_PROGRESS, '404', "'Queue ID'"],
		['a list', READ, '404', "'Base URL'"],
	])('of %s names the fields as displayed after a %3$s', (_name, context, httpCode, fields) => {
		const { description } = getText({ kind: 'rejected', httpCode }, context);
		expect(description).toContain(`Check ${fields}`);
	});

	test('of an add that a web page has answered says first what to correct, for nothing can be checked before', () => {
		const page = { kind: 'unreadable', httpCode: '200', content: 'html' } as const;
		const { description } = getText(page, { ...ADD, mayBeQueued: true });
		expect(description).toMatch(/^'Base URL'.*The video may have been queued.*Account > Get/);
	});

	test('of a download names the field and the advice of its node', () => {
		const busy = { kind: 'rateLimited', ...AT, httpCode: '429' } as const;
		const advised = getText(busy, { rateLimitAdvice: 'Come back.' });
		expect(advised.description).toMatch(/Come back\.$/);
		const gone = { kind: 'rejected', httpCode: '404', addressField: "'url'" } as const;
		expect(getText(gone, READ).description).toContain("in 'url' may");
	});

	test('about missing credits says that the video was not queued', () => {
		const refused = { kind: 'rejected', httpCode: '402', fate: 'refused' } as const;
		const text = getText(refused, ADD);
		expect(text.message).toBe('There are not enough credits');
		expect(text.description).toMatch(/^This video was not queued/);
	});
});

const NONE = { paid: [], unknown: [], canBeRetried: true, isLasting: false };
const PAID = {
	paid: [
		{ queueId: 'q1', status: 'pending' },
		{ queueId: 'q2', status: '' },
	],
};
const UNKNOWN = {
	unknown: [
		{ itemIndex: 0, queueId: undefined },
		{ itemIndex: 3, queueId: 'q4' },
	],
};

test.each([
	['is nothing', {}, /^$/],
	[
		'is listed',
		PAID,
		/^Already queued and paid for: q1 \(pending\), q2\. .*, select Retry under Exec/,
	],
	[
		'is listed where a retry would end in the same failure',
		{ ...PAID, isLasting: true },
		/q2\. .*set 'On Error'.*'Continue', and select 'Retry with currently saved workflow' under Exec/,
	],
	[
		'is listed where n8n offers no retry',
		{ ...PAID, canBeRetried: false, isLasting: true },
		/^Queued and paid for, so do not queue it again: q1 \(pending\), q2\.$/,
	],
	[
		'may be other items too',
		UNKNOWN,
		/^Other items that may.*: 1, 4 \(its response names "q4"\)\.$/,
	],
])('What a failed run has paid for %s', (_what, facts, expected) => {
	expect(describePaidVideos({ ...NONE, ...facts })).toMatch(expected);
});

const ALL_WELL = { mayBeQueued: 0, unidentified: [], isListUnreliable: false, leftOut: 0 };

describe('The hints of a run', () => {
	const describe = (facts: Partial<Parameters<typeof describeRun>[0]>) =>
		describeRun({ ...ALL_WELL, ...facts });
	const two = { count: 2, projectId: 'p' };

	// test/engine/editor.test.ts has those that a run of several items shows.
	test.each([
		[
			'videos that the same can be, which are named once',
			{ unidentified: [two, two] },
			/told apart[^"]*: 2\.[^"]*"p"[^"]*$/,
		],
		[
			'videos of many projects, of which it names five',
			{ unidentified: [1, 2, 3, 4, 5, 6].map((p) => ({ ...two, projectId: `p${p}` })) },
			/: 6\. .*among the 2 newest videos of project "p1".*"p5"(?!.*"p6")/,
		],
		['a video that is not listed', { unidentified: [{ count: 0 }] }, /are finished, but.*: 1\. /],
		['a list that could not be read', { unidentified: [{}, {}] }, /are finished, but.*: 2\. /],
		[
			'a list that lacked a video',
			{ unidentified: [two], isListUnreliable: true },
			/: 1\. .*Get Many, among the 2 newest videos of.*raise 'Listing Delay'/,
		],
	])('warn of %s', (_what, facts, expected) => {
		expect(describe(facts)).toEqual([expect.stringMatching(expected) as string]);
	});
});
