import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { ActiveTrigger } from '../support/engine/ActiveTrigger';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

async function pollOnce(baseUrl = service.sandbox.url): Promise<unknown> {
	const trigger = await ActiveTrigger.create({
		credentials: { baseUrl, apiKey: service.sandbox.apiKey },
		storage: 'static data',
		parameters: { options: { maxTries: 1 } },
	});
	const { error } = await trigger.poll();
	return (error as { failure?: unknown } | undefined)?.failure;
}

// n8n pauses a trigger for 30 minutes if a person has to act, and tries again soon otherwise.
describe('A poll that fails tells n8n its cause', () => {
	test.each<[string, FaultSpec, object]>([
		[
			'a key that is not accepted',
			{ kind: 'status', status: 401 },
			{ cause: 'credential-invalid' },
		],
		['a key without the right', { kind: 'status', status: 403 }, { cause: 'credential-invalid' }],
		['a server error', { kind: 'status', status: 501 }, { cause: 'temporarily-unavailable' }],
		['a path not found', { kind: 'status', status: 404 }, { cause: 'temporarily-unavailable' }],
		['a web page', { kind: 'html' }, { cause: 'temporarily-unavailable' }],
		[
			'too many requests',
			{ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 600 },
			{ cause: 'rate-limited', retryAfterMs: 600_000 },
		],
	])('%s', async (_what, fault, failure) => {
		service.sandbox.addFault(fault);
		expect(await pollOnce()).toEqual(failure);
	});

	test.each(['', 'ftp://files.example', 'not an address'])('a Base URL of %j', async (baseUrl) => {
		expect(await pollOnce(baseUrl)).toEqual({ cause: 'configuration-invalid' });
	});
});
