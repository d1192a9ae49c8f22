import { NodeApiError } from 'n8n-workflow';
import { createApiError } from '../../../nodes/VideoGeneration/failures/createApiError';
import type { FailureContext } from '../../../nodes/VideoGeneration/failures/FailureText';
import { describeFailure } from '../../../nodes/VideoGeneration/failures/describeFailure';
import { isAboutCredits } from '../../../nodes/VideoGeneration/failures/isAboutCredits';
import {
	ADD,
	CLEAR,
	READ,
	READ_QUEUE_ITEM,
} from '../../../nodes/VideoGeneration/request/operationPolicies';
import type {
	FailureFacts,
	FailureKind,
} from '../../../nodes/VideoGeneration/failures/requestFailure';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/requestFailure';
import { createTestNode } from '../../support/engine/createTestNode';

const CONTEXTS: Record<string, FailureContext> = { ADD, CLEAR, READ, READ_QUEUE_ITEM };
const FAILURES: [FailureKind, FailureFacts][] = [
	['rateLimited', { httpCode: '429' }],
	['rateLimited', { httpCode: '429', retryAfterMs: 600_000 }],
	['unreached', { httpCode: 'ECONNREFUSED' }],
	['unreached', { httpCode: 'ENOTFOUND' }],
	['uncertain', { httpCode: '503', tries: 4 }],
	['uncertain', { httpCode: '503', retryAfterMs: 600_000 }],
	['uncertain', { httpCode: 'ECONNABORTED' }],
	['uncertain', { httpCode: 'ECONNRESET' }],
	['redirected', { httpCode: '302', location: 'https://b.example' }],
	['redirected', { httpCode: '302' }],
	['rejected', { httpCode: '400', serviceMessage: 'Bad.' }],
	['rejected', { httpCode: '401' }],
	['rejected', { httpCode: '402' }],
	['rejected', { httpCode: '403' }],
	['rejected', { httpCode: '404' }],
	['rejected', { httpCode: '418' }],
	['unreadable', { httpCode: '200', found: 'html' }],
	['unreadable', { httpCode: '200', found: 'empty' }],
	['unreadable', { httpCode: '200', found: 'cutOff' }],
	['unreadable', { httpCode: '200', found: 'other' }],
	['unsuccessful', { httpCode: '200', serviceMessage: 'Down.' }],
	['incomplete', { httpCode: '200', found: 'videos' }],
	['blocked', {}],
	['unsent', { serviceMessage: 'The Base URL is empty.' }],
	['cancelled', {}],
	['unexpected', { httpCode: 'CERT_HAS_EXPIRED', serviceMessage: 'certificate has expired' }],
];
const CASES = Object.entries(CONTEXTS).flatMap(([name, context]) =>
	FAILURES.map(([kind, facts]) => [name, kind, JSON.stringify(facts), context, facts] as const),
);

function describeOne(kind: FailureKind, facts: FailureFacts, context: FailureContext = READ) {
	const { message, description } = describeFailure(new RequestFailure(kind, facts), context);
	return { message, description, all: `${message} ${description}` };
}

describe('An error text', () => {
	test.each(CASES)(
		'of %s for %s %s says what happened and what to do',
		(_name, kind, _facts, context, facts) => {
			const { message, description, all } = describeOne(kind, facts, context);
			expect(message).toMatch(/^[A-Z][^\n]{10,}/);
			expect(message).not.toMatch(/\.$/);
			expect(description).toMatch(/^[A-Z][^\n]{10,}\.$/);
			expect(all).not.toMatch(/undefined|null|NaN|\[object|\s{2}|\(\)/);
		},
	);

	test.each(CASES)(
		'of %s for %s %s reaches the user as it is written',
		(_name, kind, _facts, context, facts) => {
			const failure = new RequestFailure(kind, facts);
			const node = createTestNode('N', 't');
			const error = createApiError(node, failure, context);
			expect(error).toBeInstanceOf(NodeApiError);
			expect({ message: error.message, description: error.description }).toEqual(
				describeFailure(failure, context),
			);
			expect(error.httpCode).toBe(facts.httpCode ?? 'none');
		},
	);

	test('of an add whose fate is not known says so, and how to check', () => {
		for (const [kind, facts] of [
			['uncertain', { httpCode: '500' }],
			['uncertain', { httpCode: 'ECONNRESET' }],
			['unreadable', { httpCode: '200', found: 'html' }],
			['incomplete', { httpCode: '200', found: 'newQueueItem' }],
		] as const) {
			expect(describeOne(kind, facts, ADD).description).toMatch(
				/may have been queued.*Account > Get.*Video > Get Many/,
			);
			expect(describeOne(kind, facts, READ).description).not.toMatch(/queued/);
		}
	});

	test('names the fields as displayed when the service rejects the request', () => {
		expect(describeOne('rejected', { httpCode: '400' }, ADD).description).toContain(
			'"Project" and "Custom Prompt"',
		);
		expect(describeOne('rejected', { httpCode: '400' }, CLEAR).description).toContain('"Queue ID"');
		expect(describeOne('rejected', { httpCode: '404' }, READ_QUEUE_ITEM).description).toContain(
			'"Queue ID"',
		);
	});

	test("repeats the service's own words", () => {
		expect(
			describeOne('rejected', { httpCode: '400', serviceMessage: 'Prompt too long.' }).message,
		).toContain('"Prompt too long."');
	});

	test('says when to come back', () => {
		expect(
			describeOne('rateLimited', { httpCode: '429', retryAfterMs: 601_000 }).description,
		).toContain('in 11 minutes');
	});

	test.each([
		['rejected', { httpCode: '402' }],
		['rejected', { httpCode: '400', serviceMessage: 'Insufficient credits' }],
		['rejected', { httpCode: '403', serviceMessage: 'You need 1 credit more' }],
		['unsuccessful', { httpCode: '200', serviceMessage: 'No credits left' }],
	] as const)('about credits (%s %j) says how many are left', (kind, facts) => {
		const failure = new RequestFailure(kind, facts);
		expect(isAboutCredits(failure)).toBe(true);
		const { message, description } = describeFailure(failure, { ...ADD, remainingCredits: 1 });
		expect(message).toMatch(/not enough credits/);
		expect(description).toMatch(/has 1 credit left.*was not queued/);
	});

	test.each([READ, CLEAR])(
		'about credits promises no video where none was asked for',
		(context) => {
			const { message, all } = describeOne('rejected', { httpCode: '402' }, context);
			expect(message).toBe('The account has not enough credits');
			expect(all).not.toMatch(/video was not queued|for this video/);
		},
	);

	test.each([
		['rejected', { httpCode: '400', serviceMessage: 'Accredited users only' }],
		['uncertain', { httpCode: '500', serviceMessage: 'credits service down' }],
	] as const)('is not about credits for %s %j', (kind, facts) => {
		expect(isAboutCredits(new RequestFailure(kind, facts))).toBe(false);
	});
});
