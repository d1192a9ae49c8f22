import fc from 'fast-check';
import { ActiveTrigger } from '../support/n8nServer/ActiveTrigger';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { testWith } from '../support/engine/testWith';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';

/** What an n8n with its scheduler grants a poll. */
const BUDGET_MS = 45_000;
/** Within this time in all, each file of a poll must be stored: no file waits for longer before it. */
const SURE_MS = 15_000;

const LONG_RUNS = Number(process.env.HISTORIES ?? 0);
const SETTINGS = LONG_RUNS > 0 ? { numRuns: Math.ceil(LONG_RUNS / 20) } : { numRuns: 30, seed: 11 };

/**
 * How long n8n's store takes for each video of each poll. It may stall for good, as a database or S3 in
 * an outage. Not drawn: a store that fails, or slows down within a file, and hosts that are slow, too.
 */
const POLLS = fc.array(
	fc.array(fc.constantFrom(0, 200, 3_000, 20_000, 44_000, 46_000, Infinity), { maxLength: 6 }),
	{ minLength: 1, maxLength: 4 },
);

const service = useSandbox({ rateLimit: false });
const store = useBinaryStore();

testWith(
	'pollBudget',
	'Whatever time n8n takes to store files, a poll ends in its time, and emits each video once, with its file or with the reason',
	async () => {
		await fc.assert(
			fc.asyncProperty(POLLS, async (polls) => {
				service.sandbox.reset();
				const trigger = await ActiveTrigger.create({
					credentials: { baseUrl: service.sandbox.url, apiKey: service.sandbox.apiKey },
					...{ storage: 'static data', budgetMs: BUDGET_MS },
					parameters: { options: { downloadVideo: true } },
				});
				await trigger.activate();
				for (const [poll, delays] of polls.entries()) {
					const ids = delays.map((_, index) => `${poll}-${index}`);
					for (const id of ids) service.sandbox.addVideos('main', [{ id }]);
					const { emitted, tookMs } = await pollSlowly(trigger, ids, delays);
					expect(emitted.map(({ id }) => id)).toEqual(ids);
					expect(tookMs).toBeLessThan(BUDGET_MS);
					for (const [index, { hasFile, hasReason }] of emitted.entries()) {
						expect(hasFile).toBe(!hasReason);
						const delayMs = delays[index] ?? 0;
						if (delayMs >= BUDGET_MS) expect(hasFile).toBe(false);
						const isSure = delays.reduce((sum, each) => sum + each, 0) <= SURE_MS;
						if (isSure) expect(hasFile).toBe(true);
					}
				}
				expect((await trigger.poll()).items).toBeNull();
			}),
			SETTINGS,
		);
	},
);

/** Polls while n8n's store takes these times for the files of these videos. */
async function pollSlowly(trigger: ActiveTrigger, ids: string[], delays: number[]) {
	const original = store.service.store.bind(store.service);
	const storing = jest.spyOn(store.service, 'store').mockImplementation(async (...file) => {
		const stored = await original(...file);
		const delayMs = delays[ids.indexOf(stored.fileName?.replace('.mp4', '') ?? '')] ?? 0;
		await new Promise<void>((resolve) => {
			if (delayMs !== Infinity) setTimeout(resolve, delayMs);
		});
		return stored;
	});
	try {
		return await runWithoutWaiting(async () => {
			const startedAt = jest.now();
			const { items, error } = await trigger.poll();
			expect(error).toBeUndefined();
			const emitted = (items ?? []).map(({ json, binary }) => ({
				id: json.id,
				hasFile: binary?.data !== undefined,
				hasReason: json.downloadError !== undefined,
			}));
			return { emitted, tookMs: jest.now() - startedAt };
		});
	} finally {
		storing.mockRestore();
	}
}
