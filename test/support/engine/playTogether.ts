import { runWithoutWaiting, type ServiceWithClock } from './runWithoutWaiting';

/** An execution, and how long after the first one it starts. */
export interface Beginning<T> {
	afterMs?: number;
	start: () => Promise<T>;
}

/** What came of an execution, with its times by the clock that this process and the sandbox share. */
export interface Ending<T> {
	result: T;
	startedAt: number;
	endedAt: number;
}

/** Runs several executions at the same time in this process, without their waits. */
export async function playTogether<T>(
	service: ServiceWithClock,
	executions: Beginning<T>[],
): Promise<Ending<T>[]> {
	const play = async ({ afterMs = 0, start }: Beginning<T>): Promise<Ending<T>> => {
		await new Promise<void>((resolve) => setTimeout(resolve, afterMs));
		const startedAt = Date.now();
		const result = await start();
		return { result, startedAt, endedAt: Date.now() };
	};
	return await runWithoutWaiting(async () => await Promise.all(executions.map(play)), service);
}
