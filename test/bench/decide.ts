import { getKeyVideos } from '../../nodes/VideoGeneration/waiting/accountVideos';
import type { Service } from '../../nodes/VideoGeneration/api/request';

const START = Date.parse('2026-01-15T12:00:00.000Z');
const COUNTS = [1_250, 2_500, 5_000, 10_000];
const RUNS = 5;
/** The entries of lists in which one item looks for its video. */
const LONG = [20_000, 100_000] as const;
/** What a service that means harm may list: it is parsed faster than anything else. */
const EMPTY = 200_000;
/** In most of them, Node.js has compiled what n8n's process uses all the time. */
const LONG_RUNS = 9;
/** 100,000 videos in ten weeks. */
const LONG_APART_MS = 60_000;
/** Maximum times of one read of such a list, beyond parsing it, as multiples of that: of whoever waits in it. */
const LONG_LIMITS = {
	'added by this process': 3,
	'queued elsewhere, with its date': 3,
	// Each entry can be its own.
	'queued elsewhere, without a date': 4,
};
/** Maximum growth of the time for four times as many items and entries, of which the product grows by 16. */
const GROWTH = 8;
const LISTING_DELAY_MS = 10_000;

const { signal } = new AbortController();

/** A list of videos that are finished so long after each other, as the service writes it. */
function writeList(count: number, apartMs = 1_000): string {
	const entries = Array.from({ length: count }, (_, i) => ({
		id: `video-${i}`,
		url: `https://cdn.example.com/videos/${i}/file.mp4?signature=${i}`,
		projectId: 'project-product-teaser',
		createdAt: new Date(START + i * apartMs + 500).toISOString(),
	}));
	return JSON.stringify(entries);
}

/** How long n8n stands still for a list that so many items wait for, beside parsing it, in milliseconds. */
async function measure(text: string, count: number, number: number, isFinished: boolean) {
	const videos = getKeyVideos({
		baseUrl: `https://${number}.example.com`,
		keyId: 1,
	} as Service);
	const end = videos.begin();
	const claims = Array.from({ length: count }, (_, i) =>
		videos.claim(
			{
				queueId: `queue-item-${i}-of-many`,
				projectId: 'project-product-teaser',
				queuedAt: START + i * 1_000 + LISTING_DELAY_MS,
			},
			LISTING_DELAY_MS,
		),
	);
	for (const claim of claims) if (isFinished) claim.dueAt = 0;
	let [parsingMs, parsedAt] = [0, 0];
	const fetchList = async () => {
		const startedAt = performance.now();
		const entries = JSON.parse(text) as unknown[];
		parsedAt = performance.now();
		parsingMs = parsedAt - startedAt;
		return await Promise.resolve({ entries, parsedInMs: 0 });
	};
	await videos.list.read({ signal, fetchList });
	const decidingMs = performance.now() - parsedAt;
	for (const claim of claims) videos.release(claim, false);
	end();
	return { parsingMs, decidingMs };
}

/**
 * What one item in a long list costs at the first read, at a later one, and where it is settled, as multiples of parsing.
 * The time of the processor would not do: some systems count it in steps of 4 ms, which is as long as parsing takes.
 */
function measureLong(count: number, text: string, number: number, whose: string): number[] {
	const queuedAt = START + count * LONG_APART_MS;
	const service = { baseUrl: `https://long-${number}.example.com`, keyId: 1 };
	const videos = getKeyVideos(service as Service);
	const end = videos.begin();
	const show = () => {
		// The garbage of the run before counts for none.
		global.gc?.();
		const startedAt = performance.now();
		const entries = JSON.parse(text) as unknown[];
		const parsedAt = performance.now();
		videos.show(entries, parsedAt);
		return (performance.now() - parsedAt) / (parsedAt - startedAt);
	};
	const isAdded = whose === 'added by this process';
	const ids = {
		queueId: 'queue-item-of-one',
		projectId: 'project-product-teaser',
		queuedAt: whose.endsWith('without a date') ? undefined : queuedAt,
	};
	const elsewhere = isAdded ? undefined : videos.claim(ids, LISTING_DELAY_MS);
	const first = show();
	const claim = elsewhere ?? videos.claim({ ...ids, sentAt: performance.now() }, LISTING_DELAY_MS);
	const later = show();
	claim.dueAt = 0;
	const times = [first, later, show()];
	videos.release(claim, false);
	end();
	return times;
}

const getMedian = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

function report(figure: string, value: number, limit: number): void {
	const isGood = value <= limit;
	console.log(`${figure}, limit ${limit}: ${isGood ? 'good' : 'OVER THE LIMIT'}`);
	if (!isGood) process.exitCode = 1;
}

/** Measures what a list of finished videos costs n8n's event loop: it grows with the items and the entries, not with their product. */
async function main(): Promise<void> {
	let number = 0;
	for (const isFinished of [false, true]) {
		console.log(isFinished ? 'All items are finished' : 'All items are still being made');
		const rows: Record<string, object> = {};
		const all: number[] = [];
		for (const count of COUNTS) {
			const text = writeList(count);
			const times: Awaited<ReturnType<typeof measure>>[] = [];
			for (let run = 0; run < RUNS; run++) {
				times.push(await measure(text, count, (number += 1), isFinished));
			}
			const parsingMs = getMedian(times.map((each) => each.parsingMs));
			const decidingMs = getMedian(times.map((each) => each.decidingMs));
			all.push(decidingMs);
			rows[`${count} items and entries`] = {
				'parsing (ms)': parsingMs.toFixed(1),
				'deciding (ms)': decidingMs.toFixed(1),
				'times parsing': (decidingMs / parsingMs).toFixed(1),
			};
		}
		console.table(rows);
		const growth = (all.at(-1) ?? NaN) / (all.at(-3) ?? NaN);
		report(`Four times as many take ${growth.toFixed(1)} times as long`, growth, GROWTH);
	}
	const empty = JSON.stringify(Array.from({ length: EMPTY }, () => ({})));
	for (const [whose, limit] of Object.entries(LONG_LIMITS)) {
		const emptyTimes = Array.from({ length: LONG_RUNS }, () =>
			Math.max(...measureLong(EMPTY, empty, (number += 1), whose)),
		);
		const most = getMedian(emptyTimes);
		const name = `One item, ${whose}, among ${EMPTY} empty objects`;
		report(`${name}: ${most.toFixed(1)} times parsing`, most, limit);
	}
	for (const [whose, limit] of Object.entries(LONG_LIMITS)) {
		const rows: Record<string, object> = {};
		let most = 0;
		for (const count of LONG) {
			const text = writeList(count, LONG_APART_MS);
			const times = Array.from({ length: LONG_RUNS }, () =>
				measureLong(count, text, (number += 1), whose),
			);
			const medians = ['first read', 'later read', 'settling it'].map(
				(read, i) => [read, getMedian(times.map((each) => each[i] ?? NaN))] as const,
			);
			rows[`${count} entries`] = Object.fromEntries(
				medians.map(([read, times]) => [read, times.toFixed(1)]),
			);
			most = Math.max(most, ...medians.map(([, times]) => times));
		}
		console.table(rows);
		report(`One item, ${whose}: ${most.toFixed(1)} times parsing`, most, limit);
	}
}

void main();
