import { OPERATIONS } from '../support/engine/OPERATIONS';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { TestCredentialsHelper } from '../support/engine/TestCredentialsHelper';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

afterEach(() => {
	jest.restoreAllMocks();
});

/** Runs an add that waits for its video. @returns the timeouts of its requests, by their path */
async function listTimeouts(requestOptions = {}): Promise<Record<string, number | undefined>> {
	const timeouts: Record<string, number | undefined> = {};
	const sign = jest.spyOn(TestCredentialsHelper.prototype, 'authenticate');
	const parameters = { ...OPERATIONS['queue.add'], waitForCompletion: true, requestOptions };
	const run = async () => await service.run(parameters);
	expect((await runWithoutWaiting(run, service.sandbox)).error).toBeUndefined();
	for (const [, , { url, timeout }] of sign.mock.calls) {
		timeouts[url.replace(/progress\/.*/, 'progress')] = timeout;
	}
	return timeouts;
}

test('An add has five minutes, and each later request for its video a minute', async () => {
	const { '/v1/videos': log, ...others } = await listTimeouts();
	expect(others).toEqual({ '/v1/queue/add': 300_000, '/v1/queue/progress': 60_000 });
	expect(log).toBeLessThanOrEqual(60_000);
});

test("'Timeout' of Request Options is that of every request", async () => {
	expect(await listTimeouts({ timeout: 2_500 })).toEqual({
		'/v1/queue/add': 2_500,
		'/v1/queue/progress': 2_500,
		'/v1/videos': 2_500,
	});
});
