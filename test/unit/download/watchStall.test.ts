import type { Passage } from '../../../nodes/VideoGeneration/download/storeVideo';
import { watchStall } from '../../../nodes/VideoGeneration/download/watchStall';

beforeEach(() => {
	jest.useFakeTimers();
});
afterEach(() => {
	jest.useRealTimers();
});

function startWatch(isAwaitingHost: boolean) {
	const passage: Passage = { receivedBytes: 0, isAwaitingHost, storeMs: 0 };
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

	test('over which enough comes now and then is not closed', async () => {
		const { passage, isClosed, connection } = startWatch(true);
		for (let i = 0; i < 100; i++) {
			passage.receivedBytes += 1024;
			await jest.advanceTimersByTimeAsync(1000);
		}
		expect(isClosed()).toBe(false);
		connection.abort();
	});

	test('over which next to nothing comes is closed, and not for its silence', async () => {
		const { passage, isClosed } = startWatch(true);
		for (let i = 0; i < 10; i++) {
			passage.receivedBytes += 100;
			await jest.advanceTimersByTimeAsync(100);
		}
		expect(isClosed()).toBe(true);
		expect(passage.failure).toMatchObject({
			kind: 'uncertain',
			facts: { httpCode: 'ETIMEDOUT', found: 'tooSlow' },
		});
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

	test('over which little comes because the store takes its time is not closed', async () => {
		const { passage, isClosed, connection } = startWatch(true);
		for (let i = 0; i < 10; i++) {
			passage.receivedBytes += 100;
			passage.storeMs += 950;
			await jest.advanceTimersByTimeAsync(1000);
		}
		expect(isClosed()).toBe(false);
		connection.abort();
	});

	test('that has ended leaves no timer behind', async () => {
		const { connection, watch } = startWatch(true);
		connection.abort();
		await watch;
		expect(jest.getTimerCount()).toBe(0);
	});
});
