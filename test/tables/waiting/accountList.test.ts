import { RequestFailure } from '../../../nodes/VideoGeneration/failures/failure';
import { AccountList } from '../../../nodes/VideoGeneration/waiting/accountList';

/** A list, with the times at which it was requested, in seconds. */
function createList(answer: (nth: number) => { entries: unknown[]; parsedInMs: number }) {
	const times: number[] = [];
	const startedAt = performance.now();
	const list = new AccountList({ show: () => undefined });
	const createRequests = (signal = new AbortController().signal) => ({
		signal,
		fetchList: async () => {
			times.push(Math.round((performance.now() - startedAt) / 100) / 10);
			return await Promise.resolve(answer(times.length));
		},
	});
	return { list, times, createRequests };
}

const EMPTY = { entries: [], parsedInMs: 0 };

describe('The list of an account', () => {
	beforeEach(() => jest.useFakeTimers());

	test('is read the more seldom the longer n8n stands still for parsing it', async () => {
		const { list, times, createRequests } = createList(() => ({ entries: [], parsedInMs: 200 }));
		for (let i = 0; i < 3; i++) {
			const read = list.read(createRequests());
			await jest.advanceTimersByTimeAsync(20_000 / 2);
			await read;
		}
		expect(times).toEqual([0, 10, 20]);
	});

	test('is not read by anybody before the time that the service asks for', async () => {
		const { list, times, createRequests } = createList((nth) => {
			if (nth > 1) return EMPTY;
			throw new RequestFailure({ kind: 'rateLimited', httpCode: '429', retryAfterMs: 30_000 });
		});
		const read = async (afterMs: number) => {
			await jest.advanceTimersByTimeAsync(afterMs);
			const result = list.read(createRequests()).then(
				() => 'read',
				(error: unknown) => Math.round(((error as RequestFailure).facts.retryAfterMs ?? 0) / 1000),
			);
			await jest.advanceTimersByTimeAsync(2_000);
			return await result;
		};
		expect(await read(0)).toBe(30);
		expect(await read(8_000)).toBe(20);
		expect(await read(20_000)).toBe('read');
		expect(times).toHaveLength(2);
	});

	test('is read again before an add if the execution ends whose request was under way', async () => {
		let answers = 0;
		const { list, times, createRequests } = createList(() => EMPTY);
		const stop = new AbortController();
		const hanging = {
			...createRequests(stop.signal),
			fetchList: async () =>
				await new Promise<never>((_, reject) => {
					stop.signal.addEventListener('abort', () => {
						reject(new RequestFailure({ kind: 'cancelled' }));
					});
				}),
		};
		const first = list.read(hanging).catch(() => undefined);
		await jest.advanceTimersByTimeAsync(1_000);
		const adding = list.catchUp(createRequests()).then(() => (answers = times.length));
		await jest.advanceTimersByTimeAsync(1_000);
		stop.abort();
		await jest.advanceTimersByTimeAsync(2_000);
		await Promise.all([first, adding]);
		expect(answers).toBe(1);
	});

	test('is read by the others if the execution that was to read it ends', async () => {
		const { list, times, createRequests } = createList(() => EMPTY);
		const stop = new AbortController();
		const first = list.read(createRequests(stop.signal));
		const second = list.read(createRequests());
		stop.abort();
		await expect(first).rejects.toMatchObject({ kind: 'cancelled' });
		await jest.advanceTimersByTimeAsync(2_000);
		await second;
		expect(times).toHaveLength(1);
	});
});
