import { NodeApiError } from 'n8n-workflow';
import { createApiError } from '../../../nodes/VideoGeneration/failures/errors';
import type { FailureFacts, FailureKind } from '../../../nodes/VideoGeneration/failures/failure';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/failure';
import type { FailureContext } from '../../../nodes/VideoGeneration/failures/texts';
import {
	describeFailure,
	describePaidVideos,
	describeRun,
} from '../../../nodes/VideoGeneration/failures/texts';
import type { Operation } from '../../../nodes/VideoGeneration/item/job';
import { add } from '../../../nodes/VideoGeneration/resources/queue/add';
import { clear } from '../../../nodes/VideoGeneration/resources/queue/clear';
import { getProgress } from '../../../nodes/VideoGeneration/resources/queue/getProgress';
import { getAll } from '../../../nodes/VideoGeneration/resources/video/getAll';
import { createTestNode } from '../../support/engine/createTestNode';
import { isErrorDocumented } from '../../support/isErrorDocumented';

/** Creates the context for the errors of a kind of operation. */
const createContext = <Order>({ requestKind, texts }: Operation<Order>): FailureContext => ({
	...texts,
	requestKind,
});
const ADD = createContext(add);
const CLEAR = createContext(clear);
const GET_PROGRESS = createContext(getProgress);
const READ = createContext(getAll);

const getText = (facts: FailureFacts, context: FailureContext) =>
	describeFailure(new RequestFailure(facts), context);

/** A message of the service, which n8n must not find in an error's message. */
const SAID = 'Your plan was canceled.';

/** Every kind of failure in each of its forms, and the text that it needs besides the service's words. */
type Row = [kind: FailureKind, facts: Partial<FailureFacts>, text: RegExp];

const THREE = { count: 3, projectId: 'p', from: '9:00', to: '9:05' };
const STILL_QUEUED = { waitedSeconds: 5, hasLeftQueue: false, lastStatus: 'canceled' };

const OF_SERVICE: Row[] = [
	['rateLimited', { httpCode: '429', tries: 4 }, /too many requests.*sent 4 times/],
	['rateLimited', { httpCode: '429', retryAfterMs: 601_000 }, /in 11 minutes/],
	['unreached', { httpCode: 'ECONNREFUSED' }, /nothing accepts connections.*'Base URL'/],
	['unreached', { httpCode: 'ENOTFOUND' }, /host name is unknown.*'Base URL'/],
	['unreached', { httpCode: 'ECONNREFUSED', isProxied: true }, /proxy.*'Proxy' under 'Request/],
	['uncertain', { httpCode: '503', serviceMessage: SAID }, /failed to process the request \(503\)/],
	['uncertain', { httpCode: '503', retryAfterMs: 600_000 }, /in 10 minutes|may have been queued/],
	['uncertain', { httpCode: 'ECONNABORTED' }, /did not answer in time/],
	['uncertain', { httpCode: 'ETIMEDOUT' }, /did not answer in time/],
	['uncertain', { httpCode: 'ECONNRESET' }, /broke before its response was complete/],
	['redirected', { httpCode: '302', location: 'https://b.example' }, /to "https:.*'Base URL'/],
	['redirected', { httpCode: '302' }, /redirects.*'Base URL'/],
	['rejected', { httpCode: '400', serviceMessage: SAID }, /\(400\)/],
	['rejected', { httpCode: '401', serviceMessage: SAID }, /'API Key'/],
	['rejected', { httpCode: '402', serviceMessage: SAID }, /credits/],
	['rejected', { httpCode: '403', serviceMessage: SAID }, /'API Key'/],
	['rejected', { httpCode: '404', serviceMessage: SAID }, /'(Base URL|Project|Queue ID)'/],
	['rejected', { httpCode: '407', serviceMessage: SAID }, /proxy.*'Proxy' under 'Request Options'/],
	['rejected', { httpCode: '418' }, /\(418\)/],
	['unreadable', { httpCode: '200', content: 'html' }, /web page.*'Base URL'/],
	['unreadable', { httpCode: '200', content: 'empty' }, /empty/],
	['unreadable', { httpCode: '200', content: 'cutOff' }, /cut off/],
	['unreadable', { httpCode: '200', content: 'other' }, /not JSON.*'Base URL'/],
	['unreadable', { content: 'tooLarge', limit: '1 MiB' }, /too large.*more than 1 MiB/],
	['unsuccessful', { httpCode: '200', serviceMessage: SAID }, /did not (carry out|return)/],
	['incomplete', { httpCode: '200', field: 'videos' }, /has no 'videos'/],
	['blocked', {}, /N8N_SSRF_ALLOWED_HOSTNAMES/],
	['unsent', { serviceMessage: 'No database' }, /^No database Open.* Nothing was sent\.$/],
	['badCredential', { problem: 'It is empty', whatToDo: 'Open.' }, /Open\. Nothing was sent\.$/],
	['unsent', { httpCode: 'CERT_HAS_EXPIRED' }, /secure connection.*\(CERT_HAS_EXPIRED\)/],
	['cancelled', {}, /execution was canceled/],
	['notGenerated', { lastStatus: 'canceled' }, /could not be generated.*status is "canceled"/],
	['ambiguousVideo', { unidentified: { count: 0 } }, /not in the list of .*'Listing Delay'/],
	[
		'ambiguousVideo',
		{ unidentified: THREE },
		/It may be any of 3 videos of project "p", listed from 9:00 to 9:05\. .*'Videos at Once'/,
	],
	[
		'ambiguousVideo',
		{ unidentified: { count: 2, unconfirmedItems: [3] } },
		/any of 2 videos\. .*the video of item 3, whose add was not confirmed/,
	],
	['ambiguousVideo', { unidentified: {} }, /list of videos could not be read.*Video > Download/],
	['timedOut', STILL_QUEUED, /within 5 seconds.*Queue > Wait/],
	['timedOut', { ...STILL_QUEUED, serviceMessage: SAID }, /last check failed/],
	['timedOut', { waitedSeconds: 5, hasLeftQueue: true }, /no longer in.* "unknown"\..*Get Many/],
	[
		'timedOut',
		{ ...STILL_QUEUED, statusSeconds: 4 },
		/within 5 seconds.*"canceled" for 4 seconds\..*'Completed Statuses'/,
	],
];

const MIDWAY = { receivedBytes: 5, announcedBytes: 9 };

/** The same of a download, whose requests go to the video's host. */
const OF_HOST: Row[] = [
	['rateLimited', { httpCode: '429', tries: 4 }, /too many requests.*4 times.*'Max Tries'/],
	['rateLimited', { httpCode: '429', retryAfterMs: 600_000 }, /in 10 minutes/],
	['unreached', { httpCode: 'ENOTFOUND' }, /not be reached \(ENOTFOUND\).*'Video URL'/],
	['uncertain', { httpCode: '503', tries: 4 }, /failed to send the video \(503\).*4 times/],
	['uncertain', { httpCode: '503', retryAfterMs: 600_000 }, /in 10 minutes/],
	['uncertain', { httpCode: 'ECONNABORTED' }, /did not answer in time/],
	['uncertain', { httpCode: 'ETIMEDOUT', receivedBytes: 5 }, /stopped sending after 5 bytes/],
	['uncertain', { httpCode: 'ETIMEDOUT', isTooSlow: true, ...MIDWAY }, /slow: only 5 of 9 bytes/],
	['uncertain', { httpCode: 'ECONNRESET' }, /broke before the video arrived/],
	['uncertain', { httpCode: 'ECONNRESET', ...MIDWAY }, /broke after 5 of 9 bytes/],
	['redirected', { httpCode: '302' }, /not a web address.*'Video URL'/],
	['redirected', { isTooMany: true }, /redirects too many times/],
	['redirected', { httpCode: '302', location: 'file:' }, /redirects to "file:"/],
	['rejected', { httpCode: '404' }, /no video.*'Video URL' may have expired.*Video > Get Many/],
	['rejected', { httpCode: '410' }, /no video.*'Video URL' may have expired.*Video > Get Many/],
	['rejected', { httpCode: '401' }, /not allow.*Video > Get Many.*key is not sent/],
	['rejected', { httpCode: '403' }, /not allow.*Video > Get Many.*key is not sent/],
	['rejected', { httpCode: '402' }, /rejected the request \(402\).*'Video URL'/],
	['unreadable', { httpCode: '200', content: 'html' }, /web page.*'Video URL'/],
	['unreadable', { httpCode: '200', content: 'empty' }, /empty file.*'Video URL'/],
	['unreadable', { content: 'tooLarge', limit: '16 GiB' }, /too large: it has more than 16 GiB/],
	['unreadable', { content: 'other', contentType: 'image/png' }, /not a video.*"image\/png"/],
	['unreadable', { httpCode: '200', content: 'other' }, /something that is not a video/],
	['unsent', { serviceMessage: 'Host is blocked' }, /^Host is blocked Check 'Video URL'/],
	['unsent', { httpCode: 'CERT_HAS_EXPIRED' }, /secure conn.*CERT_HAS_EXPIRED.*'Video URL'/],
	['blocked', {}, /n8n blocks.*a\.mp4 was not requested.*N8N_SSRF_ALLOWED_IP_RANGES/],
	['cancelled', {}, /canceled The download was stopped/],
	['notAnAddress', {}, /not a web address Get the video again/],
	['storageFailed', { serviceMessage: 'No space' }, /not store.*enough storage.*No space/],
];
const AT = { address: 'https://files.example/a.mp4' };

const CASES = [
	...Object.entries({ ADD, CLEAR, GET_PROGRESS, READ }).flatMap(([name, context]) =>
		OF_SERVICE.map(([kind, facts, text]) => [name, { kind, ...facts }, context, text] as const),
	),
	...OF_HOST.map(
		([kind, facts, text]) =>
			['DOWNLOAD', { ...AT, kind, ...facts }, { requestKind: 'read' } as const, text] as const,
	),
];

describe('An error text', () => {
	test.each(CASES)('of %s for %j says what happened and what to do', (...each) => {
		const [, facts, context, expected] = each;
		const { message, description } = getText(facts, context);
		const all = `${message} ${description}`;
		expect(all).toMatch(expected);
		// Whole sentences with all their facts. The last one may be the service's own words.
		expect(message).toMatch(/^(['A-Z]|n8n )[^\n]{8,}[^.\s]$/);
		expect(description).toMatch(/^['A-Zh][^\n]{4,}[."]$/);
		expect(all).not.toMatch(/undefined|null|NaN|\[object|\s{2}|\(\)|\.\./);
		const ours = all.replaceAll(/"[^"]*"/g, '');
		expect(ours).not.toMatch(/\b(error(?! output)|problem|failure|mistake)s?\b/i);
		if (facts.serviceMessage === SAID) expect(description).toContain(SAID);
	});

	test.each(CASES)(
		'of %s for %j is in docs/errors.md, and reaches the user as it is written',
		(...each) => {
			const [, facts, context] = each;
			const error = createApiError(createTestNode('N', 't'), new RequestFailure(facts), context);
			expect(error).toBeInstanceOf(NodeApiError);
			const { message, description, httpCode, messages } = error;
			expect({ message, description }).toEqual(getText(facts, context));
			expect({ httpCode, messages }).toEqual({ httpCode: facts.httpCode ?? 'none', messages: [] });
			// A message without a code is a sentence of n8n or of the credential.
			if (/^(unsent|badCredential)$/.test(facts.kind) && facts.httpCode === undefined) return;
			expect([message].filter((each) => !isErrorDocumented(each))).toEqual([]);
		},
	);

	test('has the words of a service, a host or a store in its description alone: n8n searches the message', () => {
		const words = { serviceMessage: SAID, location: SAID, contentType: SAID, lastStatus: SAID };
		for (const [, facts, context] of CASES) {
			if (/^(unsent|cancelled)$/.test(facts.kind)) continue;
			expect(getText({ ...facts, ...words }, context).message).not.toMatch(/cancell?ed/i);
		}
	});

	test.each([
		{ kind: 'uncertain', httpCode: '500' },
		{ kind: 'uncertain', httpCode: 'ECONNRESET' },
		{ kind: 'unreadable', httpCode: '200', content: 'cutOff' },
		{ kind: 'incomplete', httpCode: '200', field: 'newQueueItem' },
		{ kind: 'unsuccessful', httpCode: '200', bodyStatus: 'ok' },
		{ kind: 'rejected', httpCode: '409', serviceMessage: 'Not enough credits' },
		{ kind: 'rejected', httpCode: '407' },
		{ kind: 'redirected', httpCode: '303', location: 'https://other.example.com/' },
	] as const)('of an add of unknown fate (%j) says so first, and how to check', (facts) => {
		const { description } = getText(facts, { ...ADD, mayBeQueued: true });
		expect(description).toMatch(/^The video may have been queued.*Account > Get.*Video > Get Many/);
		expect(description).not.toMatch(/try again later|not queued/i);
		expect(getText(facts, READ).description).not.toMatch(/queued/);
	});

	test('of an add that a web page has answered first says what to correct, for nothing can be checked before', () => {
		const page = { kind: 'unreadable', httpCode: '200', content: 'html' } as const;
		const { description } = getText(page, { ...ADD, mayBeQueued: true });
		expect(description).toMatch(/^'Base URL'.*The video may have been queued.*Account > Get/);
	});

	test('of a response that neither confirms nor refuses an add says so', () => {
		const { message } = getText({ kind: 'unsuccessful' }, { ...ADD, mayBeQueued: true });
		expect(message).toBe('The video service did not confirm the request');
	});

	test('of a video that is queued or finished says that it is paid for, and how to go on', () => {
		const ofFile = { addressField: "'videoUrl'" };
		for (const [kind, facts] of OF_SERVICE) {
			const describe = (more: Partial<FailureFacts>, canBeRetried: boolean) =>
				getText({ kind, ...facts, ...more }, { ...READ, isQueued: true, canBeRetried }).description;
			if (/^(notGenerated|timedOut|ambiguous)/.test(kind)) {
				// The end of a wait says by itself what became of the video.
				expect(describe({}, true)).not.toContain('queued and paid for.');
				continue;
			}
			expect(describe({}, true)).toMatch(
				/^The video is queued and paid for\..*retry.*Queue > Wait/,
			);
			expect(describe({}, true)).not.toContain('Nothing was sent');
			expect(describe(ofFile, true)).toMatch(
				/^The video is finished and paid for\. A retry of this execution only downloads it\./,
			);
			// n8n offers no retry of an execution that succeeds, or to an agent.
			expect(describe({}, false)).toMatch(/paid for\. To go on waiting for it, use Queue > Wait/);
			expect(describe(ofFile, false)).toMatch(/paid for\. To download it, use Video > Download\./);
		}
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

	test('of a download names the field and the advice of its node', () => {
		const busy = { kind: 'rateLimited', ...AT, httpCode: '429' } as const;
		const advised = getText(busy, { requestKind: 'read', rateLimitAdvice: 'Come back.' });
		expect(advised.description).toMatch(/Come back\.$/);
		const gone = { kind: 'rejected', httpCode: '404', addressField: "'url'" } as const;
		expect(getText(gone, READ).description).toContain("in 'url' may");
	});

	test('of a web page that answers with 404 blames the address alone', () => {
		const { message } = getText({ kind: 'rejected', httpCode: '404', content: 'html' }, ADD);
		expect(message).toBe('This address does not exist on the video service');
	});

	test('about the credits to keep says what the account has, what the video costs, and what is kept', () => {
		const facts = { kind: 'overBudget', remainingCredits: 1, cost: 1, keep: 1 } as const;
		expect(getText(facts, ADD).description).toMatch(
			/^The account has 1 credit\. The video would cost 1, and 'Credits to Keep' is 1\. Nothing was queued/,
		);
	});

	test.each([
		[undefined, /^This video was not queued/],
		[0, /^The account has 0 credits left. This video was not queued/],
		[1, /^The account has 1 credit left. This video was not queued/],
	])('about missing credits, of which there are %p left, says so', (remainingCredits, expected) => {
		const refused = { kind: 'rejected', httpCode: '402' } as const;
		const text = getText(refused, { ...ADD, remainingCredits });
		expect(text.message).toBe('There are not enough credits for this video');
		expect(text.description).toMatch(expected);
		expect(getText(refused, CLEAR).message).toBe('The account does not have enough credits');
	});
});

const NONE = { paid: [], unknown: [], canBeRetried: true, needsContinue: false };
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
	['is listed, with how to go on', PAID, /select Retry under Executions;.*: q1 \(pending\), q2\.$/],
	[
		'is listed for an agent, which cannot retry',
		{ ...PAID, canBeRetried: false },
		/^Queued and paid for, so do not queue it again: q1 \(pending\), q2\.$/,
	],
	[
		'may be other items too',
		UNKNOWN,
		/^Other items that may.*: item 0, item 3, whose response names "q4"\.$/,
	],
])('What a failed run has paid for %s', (_what, facts, expected) => {
	expect(describePaidVideos({ ...NONE, ...facts })).toMatch(expected);
});

describe('The hints of a run', () => {
	const describe = (facts: Partial<Parameters<typeof describeRun>[0]>) =>
		describeRun({
			...{ isAdd: true, mayBeQueued: 0, unidentified: [], isListUnreliable: false },
			...{ ownPrompts: [], doubtfulPrompts: [], waitedSeconds: 0, ...facts },
		});
	const two = { count: 2, projectId: 'p', from: '9:00', to: '9:05' };

	// test/engine/editor.test.ts has those that a run of several items shows.
	test.each([
		['an add of unknown fate', { mayBeQueued: 1 }, /^1 video may .* its queue ID did not arrive\./],
		['an empty prompt', { ownPrompts: [0] }, /^1 video was made.*had no value: item 0\.$/],
		[
			'a video that several can be',
			{ unidentified: [two] },
			/^1 video could not.*among 2 videos of project "p", listed from 9:00 to 9:05\. .*'Videos at Once'/,
		],
		[
			'videos that the same can be, which are named once',
			{ unidentified: [two, two] },
			/^2 videos could not be told apart[^"]*"p"[^"]*$/,
		],
		[
			'videos of many projects, of which it names five',
			{ unidentified: [1, 2, 3, 4, 5, 6].map((p) => ({ ...two, projectId: `p${p}` })) },
			/^6 videos.* among 2 videos of project "p1".*"p5"(?!.*"p6")/,
		],
		[
			'a video that may be that of an add of unknown fate',
			{ unidentified: [{ ...two, unconfirmedItems: [0, 2] }] },
			/9:05\. Some of them may be the videos of items 0, 2, whose adds were not confirmed\.$/,
		],
		['a video that is not listed', { unidentified: [{ count: 0 }] }, /^1 video is finished, but/],
		['a list that could not be read', { unidentified: [{}, {}] }, /^2 videos are finished, but/],
		[
			'a list that lacked a video',
			{ unidentified: [two, { count: 0 }, {}], isListUnreliable: true },
			/^3 videos could not.*Get Many, among 2 videos of[^;]* raise 'Listing Delay'/,
		],
	])('warn of %s', (_what, facts, expected) => {
		const message = expect.stringMatching(expected) as string;
		expect(describe(facts)).toEqual([{ type: 'warning', message }]);
	});

	test('say from 30 seconds on how long its items waited for other executions', () => {
		expect(describe({ waitedSeconds: 29 })).toEqual([]);
		const message = expect.stringMatching(/^The items waited 30 seconds in all/) as string;
		expect(describe({ waitedSeconds: 30 })).toEqual([{ type: 'info', message }]);
	});
});
