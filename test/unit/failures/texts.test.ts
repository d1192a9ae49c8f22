import type { JsonObject } from 'n8n-workflow';
import { NodeApiError } from 'n8n-workflow';
import type { AxiosResponse } from 'axios';
import { AxiosError } from 'axios';
import {
	createApiError,
	classifyError,
	classifyStreamError,
} from '../../../nodes/VideoGeneration/failures/errors';
import type { FailureFacts, FailureKind } from '../../../nodes/VideoGeneration/failures/failure';
import { mayBeCarriedOut } from '../../../nodes/VideoGeneration/failures/fate';
import {
	createExcess,
	isAboutCredits,
	isNotFound,
	RequestFailure,
} from '../../../nodes/VideoGeneration/failures/failure';
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

const NODE = createTestNode('N', 't');

/** Creates the context for the errors of a kind of operation. */
const createContext = <Order>({ requestKind, texts }: Operation<Order>): FailureContext => ({
	...texts,
	requestKind,
});
const ADD = createContext(add);
const CLEAR = createContext(clear);
const GET_PROGRESS = createContext(getProgress);
const READ = createContext(getAll);

/** A message of the service, which n8n must not find in an error's message. */
const SAID = 'Your plan was canceled.';

describe.each([
	['current n8n', (error: Error) => new NodeApiError(NODE, error as unknown as JsonObject)],
	[
		// n8n before 2.34 keeps only the code of the error that its HTTP client has thrown.
		'n8n before 2.34',
		(error: Error) =>
			Object.assign(new NodeApiError(NODE, error as unknown as JsonObject), { cause: undefined }),
	],
])('An error instead of a response, as %s passes it on,', (_n8n, wrap) => {
	const clientError = (code: string, syscall?: string) => {
		const message = `${syscall ?? 'failed with'} ${code}`;
		const cause = Object.assign(new Error(message), { code, syscall });
		return wrap(Object.assign(new AxiosError(message, code), { cause }));
	};

	test.each([...['ECONNREFUSED', 'ENOTFOUND', 'EAI_AGAIN', 'EHOSTUNREACH']])(
		'with the code %s never reached the service',
		(code) => {
			const syscall = /^(ENOTFOUND|EAI_)/.test(code) ? 'getaddrinfo' : 'connect';
			expect(classifyError(clientError(code, syscall))).toMatchObject({
				...{ kind: 'unreached', facts: { httpCode: code } },
			});
			expect(classifyError(clientError(code, 'read')).kind).toBe('uncertain');
		},
	);

	test.each([
		...['DEPTH_ZERO_SELF_SIGNED_CERT', 'CERT_HAS_EXPIRED', 'SELF_SIGNED_CERT_IN_CHAIN'],
		...['UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'ERR_TLS_CERT_ALTNAME_INVALID'],
	])('with the code %s was not sent: the certificate was not accepted', (code) => {
		expect(classifyError(clientError(code))).toMatchObject({
			...{ kind: 'unsent', facts: { httpCode: code } },
		});
	});

	test.each([
		['ECONNRESET', 'ECONNRESET'],
		['ECONNABORTED', 'ECONNABORTED'],
		['ETIMEDOUT', 'ETIMEDOUT'],
		['EPIPE', 'EPIPE'],
		['HPE_INVALID_CONSTANT', 'ECONNRESET'],
		['HPE_HEADER_OVERFLOW', 'ECONNRESET'],
		['SOMETHING_NEW', 'ECONNRESET'],
		['EPROTO', 'ECONNRESET'],
		['ERR_SSL_WRONG_VERSION_NUMBER', 'ECONNRESET'],
		['ERR_SSL_TLSV13_ALERT_CERTIFICATE_REQUIRED', 'ECONNRESET'],
	])('with the code %s leaves the fate open', (code, httpCode) => {
		expect(classifyError(clientError(code))).toMatchObject({
			...{ kind: 'uncertain', facts: { httpCode } },
		});
	});

	test('of a response that broke off in its middle leaves the fate open, whatever its status', () => {
		const response = { status: 200 } as AxiosResponse;
		const error = new AxiosError(
			...(['stream has been aborted', 'ERR_BAD_RESPONSE', undefined, undefined, response] as const),
		);
		expect(classifyError(wrap(error))).toMatchObject({
			...{ kind: 'uncertain', facts: { httpCode: 'ECONNRESET' } },
		});
	});

	test('of a stopped execution is cancelled', () => {
		expect(classifyError(clientError('ERR_CANCELED')).kind).toBe('cancelled');
	});

	test.each([
		[
			'ECONNRESET',
			'Client network socket disconnected before secure TLS connection was established',
		],
		['EPROTO', 'write EPROTO 40:error:0A00010B:SSL routines:ssl3_get_record:wrong version number:'],
	])('with the code %s was not sent where it failed before it was secure', (code, message) => {
		const cause = Object.assign(new Error(message), { code });
		const error = wrap(Object.assign(new AxiosError(message, code), { cause }));
		expect(classifyError(error).kind).toBe('unsent');
	});

	test('that does not come from the HTTP client was never sent, and keeps its words', () => {
		expect(classifyError(wrap(new Error("'Base URL' is empty.")))).toMatchObject({
			...{ kind: 'unsent', facts: { serviceMessage: "'Base URL' is empty." } },
		});
	});
});

describe('An error', () => {
	test.each([
		['before it sends', (blocked: Error) => blocked],
		['while it connects', (blocked: Error) => AxiosError.from(blocked)],
	])("of n8n's protection of private networks, %s, is blocked", (_when, wrap) => {
		const blocked = Object.assign(new Error('blocked'), { name: 'SsrfBlockedIpError' });
		const error = new NodeApiError(NODE, wrap(blocked) as unknown as JsonObject);
		expect(classifyError(error)).toMatchObject({ kind: 'blocked', facts: {} });
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

describe('What may have been carried out', () => {
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
	] as const)('is a request that was %s %j: %p', (kind, facts, expected) => {
		expect(mayBeCarriedOut(new RequestFailure({ kind, ...facts }))).toBe(expected);
	});
});

describe('A failure', () => {
	test('is a missing item by its 404 alone', () => {
		expect(isNotFound(new RequestFailure({ kind: 'rejected', httpCode: '404' }))).toBe(true);
		expect(isNotFound(new RequestFailure({ kind: 'rejected', httpCode: '403' }))).toBe(false);
	});

	test.each([
		['rejected', { httpCode: '402' }, true],
		['rejected', { httpCode: '400', serviceMessage: 'Insufficient credits' }, true],
		['rejected', { httpCode: '403', serviceMessage: 'You need 1 credit more' }, true],
		['unsuccessful', { httpCode: '200', serviceMessage: 'No credits left' }, true],
		['rejected', { httpCode: '400', serviceMessage: 'Accredited users only' }, false],
		['rejected', { httpCode: '400', serviceMessage: 'No credits were charged.' }, false],
		['rejected', { httpCode: '400', serviceMessage: 'No credits were used.' }, false],
		['rejected', { httpCode: '400', serviceMessage: 'You have used all your credits.' }, true],
		['uncertain', { httpCode: '500', serviceMessage: 'credits service down' }, false],
	] as const)('that was %s %j is about credits: %p', (kind, facts, expected) => {
		expect(isAboutCredits(new RequestFailure({ kind, ...facts }))).toBe(expected);
	});

	test('keeps its facts when another is added', () => {
		const failure = createExcess('1 MiB').with({ tries: 2 });
		expect(failure.facts).toEqual({
			...{ kind: 'unreadable', httpCode: '200', content: 'tooLarge', limit: '1 MiB', tries: 2 },
		});
	});
});

const BAD_BASE_URL: FailureFacts = {
	...{ kind: 'badCredential', isBaseUrl: true },
	...{ problem: "'Base URL' is empty", whatToDo: 'Open the credential.' },
};

/**
 * Every kind of failure in each of its forms, and the text that it needs besides the service's
 * words.
 */
const FAILURES: [FailureFacts, RegExp][] = [
	[{ kind: 'rateLimited', httpCode: '429', tries: 4 }, /too many requests.*sent 4 times/],
	[{ kind: 'rateLimited', httpCode: '429', retryAfterMs: 601_000 }, /in 11 minutes/],
	[{ kind: 'unreached', httpCode: 'ECONNREFUSED' }, /nothing accepts connections.*'Base URL'/],
	[{ kind: 'unreached', httpCode: 'ENOTFOUND' }, /host name is unknown.*'Base URL'/],
	[
		{ kind: 'unreached', httpCode: 'ECONNREFUSED', isProxied: true },
		/proxy.*'Proxy' under 'Request Options'/,
	],
	[
		{ kind: 'unreached', httpCode: 'ENOTFOUND', isProxied: true },
		/proxy.*'Proxy' under 'Request Options'/,
	],
	[
		{ kind: 'uncertain', httpCode: '503', serviceMessage: SAID },
		/failed to process the request \(503\)/,
	],
	[
		{ kind: 'uncertain', httpCode: '503', retryAfterMs: 600_000 },
		/in 10 minutes|may have been queued/,
	],
	[{ kind: 'uncertain', httpCode: 'ECONNABORTED' }, /did not answer in time/],
	[{ kind: 'uncertain', httpCode: 'ETIMEDOUT' }, /did not answer in time/],
	[{ kind: 'uncertain', httpCode: 'ECONNRESET' }, /broke before its response was complete/],
	[
		{ kind: 'redirected', httpCode: '302', location: 'https://b.example' },
		/to "https:\/\/b.*'Base URL'/,
	],
	[{ kind: 'redirected', httpCode: '302' }, /redirects.*'Base URL'/],
	[{ kind: 'rejected', httpCode: '400', serviceMessage: SAID }, /\(400\)/],
	[{ kind: 'rejected', httpCode: '401', serviceMessage: SAID }, /'API Key'/],
	[{ kind: 'rejected', httpCode: '402', serviceMessage: SAID }, /credits/],
	[{ kind: 'rejected', httpCode: '403', serviceMessage: SAID }, /'API Key'/],
	[{ kind: 'rejected', httpCode: '404', serviceMessage: SAID }, /'(Base URL|Project|Queue ID)'/],
	[
		{ kind: 'rejected', httpCode: '407', serviceMessage: SAID },
		/proxy.*'Proxy' under 'Request Options'/,
	],
	[{ kind: 'rejected', httpCode: '418' }, /\(418\)/],
	[{ kind: 'unreadable', httpCode: '200', content: 'html' }, /web page.*'Base URL'/],
	[{ kind: 'unreadable', httpCode: '200', content: 'empty' }, /empty/],
	[{ kind: 'unreadable', httpCode: '200', content: 'cutOff' }, /cut off/],
	[{ kind: 'unreadable', httpCode: '200', content: 'other' }, /not JSON.*'Base URL'/],
	[{ kind: 'unreadable', content: 'tooLarge', limit: '1 MiB' }, /too large.*more than 1 MiB/],
	[
		{ kind: 'unsuccessful', httpCode: '200', bodyStatus: 'error', serviceMessage: SAID },
		/did not (carry out|return)/,
	],
	[{ kind: 'incomplete', httpCode: '200', field: 'videos' }, /has no 'videos'/],
	[{ kind: 'blocked' }, /N8N_SSRF_ALLOWED_HOSTNAMES/],
	[
		{ kind: 'unsent', serviceMessage: 'The database cannot be reached' },
		/^The database cannot be reached Open.* Nothing was sent\.$/,
	],
	[BAD_BASE_URL, /^'Base URL' is empty Open the credential\. Nothing was sent\.$/],
	[{ kind: 'unsent', httpCode: 'CERT_HAS_EXPIRED' }, /secure connection.*\(CERT_HAS_EXPIRED\)/],
	[{ kind: 'cancelled' }, /execution was canceled/],
	[
		{ kind: 'notGenerated', lastStatus: 'canceled' },
		/could not be generated.*status is "canceled"/,
	],
	[
		{ kind: 'ambiguousVideo', unidentified: { count: 0 } },
		/not in the list of videos yet.*'Listing Delay'/,
	],
	[
		{
			kind: 'ambiguousVideo',
			unidentified: { count: 3, projectId: 'p', from: '9:00', to: '9:05' },
		},
		/It may be any of 3 videos of project "p", listed from 9:00 to 9:05\. .*'Videos at Once'/,
	],
	[
		{ kind: 'ambiguousVideo', unidentified: { count: 2, unconfirmedItems: [3] } },
		/any of 2 videos\. .*the video of item 3, whose add was not confirmed/,
	],
	[
		{ kind: 'ambiguousVideo', unidentified: {} },
		/list of videos could not be read.*Video > Download/,
	],
	[
		{ kind: 'timedOut', waitedSeconds: 5, hasLeftQueue: false, lastStatus: 'canceled' },
		/within 5 seconds.*Queue > Wait/,
	],
	[
		{ kind: 'timedOut', waitedSeconds: 5, statusSeconds: 4, lastStatus: 'canceled' },
		/within 5 seconds.*"canceled" for 4 seconds\..*'Completed Statuses'/,
	],
	[
		{ kind: 'timedOut', waitedSeconds: 5, hasLeftQueue: true },
		/no longer in the queue.*Video > Get Many/,
	],
	[
		{ kind: 'timedOut', waitedSeconds: 5, hasLeftQueue: false, serviceMessage: SAID },
		/last check failed/,
	],
];
const CASES = Object.entries({ ADD, CLEAR, GET_PROGRESS, READ }).flatMap(([name, context]) =>
	FAILURES.map(([facts, text]) => [name, facts, context, text] as const),
);

/** Expects whole sentences, the last of which may be the service's own words. */
function expectGoodText({ message, description }: { message: string; description: string }) {
	expect(message).toMatch(/^(['A-Z]|n8n )[^\n]{10,}[^.\s]$/);
	expect(description).toMatch(/^['A-Zh][^\n]{8,}[."]$/);
	expect(`${message} ${description}`).not.toMatch(/undefined|null|NaN|\[object|\s{2}|\(\)|\.\./);
	expect(message).not.toContain(SAID);
	const ours = `${message} ${description}`.replaceAll(/"[^"]*"/g, '');
	expect(ours).not.toMatch(/\b(error(?! output)|problem|failure|mistake)s?\b/i);
}

describe('An error text', () => {
	test.each(CASES)('of %s for %j says what happened and what to do', (...each) => {
		const [, facts, context, expected] = each;
		const text = describeFailure(new RequestFailure(facts), context);
		expectGoodText(text);
		expect(`${text.message} ${text.description}`).toMatch(expected);
		if (facts.kind !== 'cancelled') expect(text.message).not.toMatch(/cancell?ed/i);
		if (facts.serviceMessage === SAID) expect(text.description).toContain(SAID);
	});

	test.each(CASES)('of %s for %j is in docs/errors.md', (...each) => {
		const [, facts, context] = each;
		// A message without a code is a sentence of n8n or of the credential.
		if (/^(unsent|badCredential)$/.test(facts.kind) && facts.httpCode === undefined) return;
		const { message } = describeFailure(new RequestFailure(facts), context);
		expect([message].filter((each) => !isErrorDocumented(each))).toEqual([]);
	});

	test.each(CASES)('of %s for %j reaches the user as it is written', (...each) => {
		const [, facts, context] = each;
		const failure = new RequestFailure(facts);
		const text = describeFailure(failure, context);
		const error = createApiError(NODE, failure, context);
		expect(error).toBeInstanceOf(NodeApiError);
		expect({ message: error.message, description: error.description }).toEqual(text);
		expect(error.httpCode).toBe(facts.httpCode ?? 'none');
		expect(error.messages).toEqual([]);
	});

	test('of a rate limit tells n8n how long to leave a trigger alone', () => {
		const failure = new RequestFailure({
			kind: 'rateLimited',
			httpCode: '429',
			retryAfterMs: 5_000,
		});
		const error = createApiError(NODE, failure, READ);
		expect(error.failure).toEqual({ cause: 'rate-limited', retryAfterMs: 5_000 });
	});

	test('about the address in the credential tells n8n that a person has to act', () => {
		const failure = new RequestFailure(BAD_BASE_URL);
		const error = createApiError(NODE, failure, READ);
		expect(error.failure).toEqual({ cause: 'configuration-invalid' });
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
		const failure = new RequestFailure(facts);
		const { description } = describeFailure(failure, { ...ADD, mayBeQueued: true });
		expect(description).toMatch(/^The video may have been queued.*Account > Get.*Video > Get Many/);
		expect(description).not.toMatch(/try again later|not queued/i);
		expect(describeFailure(failure, READ).description).not.toMatch(/queued/);
	});

	test('of an add that a web page has answered first says what to correct, for nothing can be checked before', () => {
		const failure = new RequestFailure({ kind: 'unreadable', httpCode: '200', content: 'html' });
		const { description } = describeFailure(failure, { ...ADD, mayBeQueued: true });
		expect(description).toMatch(/^'Base URL'.*The video may have been queued.*Account > Get/);
	});

	test('of a response that neither confirms nor refuses an add says so', () => {
		const failure = new RequestFailure({ kind: 'unsuccessful', httpCode: '200', bodyStatus: 'ok' });
		const { message } = describeFailure(failure, { ...ADD, mayBeQueued: true });
		expect(message).toBe('The video service did not confirm the request');
	});

	test.each(FAILURES.filter(([{ kind }]) => !/^(notGenerated|timedOut|ambiguous)/.test(kind)))(
		'of a video that is queued or finished (%j) says that it is paid for, and how to go on',
		(facts) => {
			const describe = (more: Partial<FailureFacts>, canBeRetried: boolean) =>
				describeFailure(new RequestFailure({ ...facts, ...more }), {
					...READ,
					isQueued: true,
					canBeRetried,
				}).description;
			const ofFile = { addressField: "'videoUrl'" };
			const description = describe({}, true);
			expect(description).toMatch(/^The video is queued and paid for\..*retry.*Queue > Wait/);
			expect(description).not.toContain('Nothing was sent');
			expect(describe(ofFile, true)).toMatch(
				/^The video is finished and paid for\. A retry of this execution only downloads it\./,
			);
			// n8n offers no retry of an execution that succeeds, or to an agent.
			expect(describe({}, false)).toMatch(
				/^The video is queued and paid for\. To go on waiting for it, use Queue > Wait/,
			);
			expect(describe(ofFile, false)).toMatch(
				/^The video is finished and paid for\. To download it, use Video > Download\./,
			);
		},
	);

	test.each(FAILURES.filter(([{ kind }]) => /^(notGenerated|timedOut|ambiguous)/.test(kind)))(
		'of the end of a wait (%j) says what became of the video once',
		(facts) => {
			const { description } = describeFailure(new RequestFailure(facts), {
				...READ,
				isQueued: true,
			});
			expect(description).not.toContain('The video is queued and paid for.');
		},
	);

	test.each([
		['add', ADD, '400', "'Project' and 'Custom Prompt'"],
		['add', ADD, '404', "'Project'"],
		['clear', CLEAR, '400', "'Queue ID'"],
		['clear', CLEAR, '404', "'Queue ID'"],
		['getProgress', GET_PROGRESS, '404', "'Queue ID'"],
		['a list', READ, '404', "'Base URL'"],
	])('of %s names the fields as displayed after a %3$s', (_name, context, httpCode, fields) => {
		const failure = new RequestFailure({ kind: 'rejected', httpCode });
		expect(describeFailure(failure, context).description).toContain(`Check ${fields}`);
	});

	test('of a web page that answers with 404 blames the address alone', () => {
		const failure = new RequestFailure({ kind: 'rejected', httpCode: '404', content: 'html' });
		expect(describeFailure(failure, ADD).message).toBe(
			'This address does not exist on the video service',
		);
	});

	test('about the credits to keep says what the account has, what the video costs, and what is kept', () => {
		const facts = { remainingCredits: 1, cost: 1, keep: 1 };
		const failure = new RequestFailure({ kind: 'overBudget', ...facts });
		expect(describeFailure(failure, ADD).description).toMatch(
			/^The account has 1 credit\. The video would cost 1, and 'Credits to Keep' is 1\. Nothing was queued/,
		);
	});

	test.each([
		[undefined, /^This video was not queued/],
		[0, /^The account has 0 credits left. This video was not queued/],
		[1, /^The account has 1 credit left. This video was not queued/],
	])('about missing credits, of which there are %p left, says so', (remainingCredits, expected) => {
		const failure = new RequestFailure({ kind: 'rejected', httpCode: '402' });
		const text = describeFailure(failure, { ...ADD, remainingCredits });
		expect(text.message).toBe('There are not enough credits for this video');
		expect(text.description).toMatch(expected);
		for (const context of [READ, CLEAR]) {
			expect(describeFailure(failure, context).message).toBe(
				'The account does not have enough credits',
			);
		}
	});
});

describe('What a failed run has paid for', () => {
	const describe = (facts: Partial<Parameters<typeof describePaidVideos>[0]>) =>
		describePaidVideos({
			...{ paid: [], unknown: [], canBeRetried: true, needsContinue: false },
			...facts,
		});
	const paid = [
		{ queueId: 'q1', status: 'pending' },
		{ queueId: 'q2', status: '' },
	];

	test.each([
		['is nothing', {}, /^$/],
		[
			'is listed, with how to go on',
			{ paid },
			/select Retry under Executions;.*: q1 \(pending\), q2\.$/,
		],
		[
			'is listed for an agent, which cannot retry',
			{ paid, canBeRetried: false },
			/^Queued and paid for, so do not queue it again: q1 \(pending\), q2\.$/,
		],
		[
			'is not reached by a retry that ends on the same item',
			{ paid, needsContinue: true },
			/q2\. To get the other items' videos, set 'On Error'/,
		],
		[
			'may be other items too',
			{
				unknown: [
					{ itemIndex: 0, queueId: undefined },
					{ itemIndex: 3, queueId: 'q4' },
				],
			},
			/^Other items that may.*: item 0, item 3, whose response names "q4"\.$/,
		],
	])('%s', (_what, facts, expected) => {
		expect(describe(facts)).toMatch(expected);
	});
});

describe('The hints of a run', () => {
	const describe = (facts: Partial<Parameters<typeof describeRun>[0]>) =>
		describeRun({
			...{ isAdd: true, mayBeQueued: 0, unidentified: [], isListUnreliable: false },
			...{ ownPrompts: [], doubtfulPrompts: [], waitedSeconds: 0, ...facts },
		});
	const two = { count: 2, projectId: 'p', from: '9:00', to: '9:05' };

	test.each([
		[
			'one add of unknown fate',
			{ mayBeQueued: 1 },
			/^1 video may .* its queue ID did not arrive\./,
		],
		['an empty prompt', { ownPrompts: [0] }, /^1 video was made.*had no value: item 0\.$/],
		['odd prompts', { doubtfulPrompts: [1, 2] }, /^2 prompts seem.*: items 1, 2\. Check/],
		['several', { mayBeQueued: 2 }, /^2 videos may .* their queue IDs did not arrive\./],
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
			'a video that may be that of an add of unknown fate',
			{ unidentified: [{ ...two, unconfirmedItems: [0, 2] }] },
			/9:05\. Some of them may be the videos of items 0, 2, whose adds were not confirmed\.$/,
		],
		[
			'a video that was queued elsewhere',
			{ unidentified: [two], isAdd: false },
			/'createdAt' that Queue > Add returned\.$/,
		],
		['a video that is not listed', { unidentified: [{ count: 0 }] }, /^1 video is finished, but/],
		['a list that could not be read', { unidentified: [{}, {}] }, /^2 videos are finished, but/],
		[
			'a list that lacked a video',
			{ unidentified: [two, { count: 0 }, {}], isListUnreliable: true },
			/^3 videos could not.*Get Many, among 2 videos of[^;]* raise 'Listing Delay'/,
		],
		[
			'a list that lacked the only video',
			{ unidentified: [{ count: 0 }], isListUnreliable: true },
			/^1 video could not.*Get Many\. A video was missing/,
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
