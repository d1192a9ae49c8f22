import type { Passage } from '../../../nodes/VideoGeneration/download/storeVideo';
import { watchStall } from '../../../nodes/VideoGeneration/download/watchStall';

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

function startWatch(isAwaitingHost: boolean) {
	const passage: Passage = { receivedBytes: 0, isAwaitingHost };
	const connection = new AbortController();
	const watch = watchStall(passage, 1000, connection);
	return { passage, connection, watch, isClosed: () => connection.signal.aborted };
}

describe('A connection', () => {
	test('over which nothing more comes is closed', async () => {
		const { passage, watch, isClosed } = startWatch(true);
		await jest.advanceTimersByTimeAsync(999);
		expect(isClosed()).toBe(false);
		await jest.advanceTimersByTimeAsync(1);
		expect(isClosed()).toBe(true);
		await watch;
		expect(passage.failure).toMatchObject({ kind: 'uncertain', facts: { httpCode: 'ETIMEDOUT' } });
	});

	test('over which something comes now and then is not closed', async () => {
		const { passage, isClosed, connection } = startWatch(true);
		for (let i = 0; i < 100; i++) {
			await jest.advanceTimersByTimeAsync(900);
			passage.receivedBytes += 1;
		}
		expect(isClosed()).toBe(false);
		connection.abort();
	});

	test("is not closed for the store's slowness, which begins anew when the host is waited for", async () => {
		const { passage, isClosed } = startWatch(false);
		await jest.advanceTimersByTimeAsync(10_500);
		passage.isAwaitingHost = true;
		await jest.advanceTimersByTimeAsync(1400);
		expect(isClosed()).toBe(false);
		await jest.advanceTimersByTimeAsync(200);
		expect(isClosed()).toBe(true);
	});

	test('that has ended leaves no timer behind', async () => {
		const { connection, watch } = startWatch(true);
		connection.abort();
		await watch;
		expect(jest.getTimerCount()).toBe(0);
	});
});
