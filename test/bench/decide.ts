import { getAccountVideos } from '../../nodes/VideoGeneration/waiting/accountVideos';
import type { Service } from '../../nodes/VideoGeneration/api/request';

const START = Date.parse('2026-01-15T12:00:00.000Z');
const COUNTS = [1_250, 2_500, 5_000, 10_000];
const RUNS = 9;
/** The entries of lists in which one item looks for its video, and the maximum time for the first as a multiple of parsing. */
const LONG = [20_000, 100_000];
const LIMIT = 3;
const LISTING_DELAY_MS = 10_000;

const { signal } = new AbortController();

/** A list of videos that are finished a second after each other, as the service writes it. */
function writeList(count: number): string {
	const entries = Array.from({ length: count }, (_, i) => ({
		id: `video-${i}`,
		url: `https://cdn.example.com/videos/${i}/file.mp4?signature=${i}`,
		projectId: 'project-product-teaser',
		createdAt: new Date(START + i * 1_000 + 500).toISOString(),
	}));
	return JSON.stringify(entries);
}

/** How long n8n stands still for a list that so many items wait for, beside parsing it, in milliseconds. */
async function measure(text: string, count: number, number: number, isFinished: boolean) {
	const videos = getAccountVideos({
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
 * One item in a list of as many videos, the first time that it is shown and when it settles the item: an item whose add was
 * sent in between, as in most executions, or one that was queued elsewhere. Times are of the CPU, as multiples of parsing.
 */
function measureLong(text: string, number: number, isAdded: boolean): [number, number] {
	const videos = getAccountVideos({
		baseUrl: `https://long-${number}-${isAdded}.example.com`,
		keyId: 1,
	} as Service);
	const end = videos.begin();
	const ids = { queueId: 'queue-item-of-one', projectId: 'project-product-teaser' };
	const show = () => {
		const before = process.cpuUsage();
		const entries = JSON.parse(text) as unknown[];
		const parsing = process.cpuUsage(before);
		videos.show(entries, performance.now());
		return process.cpuUsage(before).user / parsing.user - 1;
	};
	const elsewhere = isAdded ? undefined : videos.claim(ids, LISTING_DELAY_MS);
	const first = show();
	const claim = elsewhere ?? videos.claim({ ...ids, sentAt: performance.now() }, LISTING_DELAY_MS);
	claim.dueAt = 0;
	const deciding = show();
	videos.release(claim, false);
	end();
	return [first, deciding];
}

const getMedian = (values: number[]) => values.sort((a, b) => a - b)[values.length >> 1] ?? 0;

/** Measures what a list of finished videos costs n8n's event loop: it grows with the items and the entries, not with their product. */
async function main(): Promise<void> {
	let number = 0;
	for (const isFinished of [false, true]) {
		console.log(isFinished ? 'All items are finished' : 'All items are still being made');
		const rows: Record<string, object> = {};
		for (const count of COUNTS) {
			const text = writeList(count);
			const times: Awaited<ReturnType<typeof measure>>[] = [];
			for (let run = 0; run < RUNS; run++) {
				times.push(await measure(text, count, (number += 1), isFinished));
			}
			const parsingMs = getMedian(times.map((each) => each.parsingMs));
			const decidingMs = getMedian(times.map((each) => each.decidingMs));
			rows[`${count} items and entries`] = {
				'parsing (ms)': parsingMs.toFixed(1),
				'deciding (ms)': decidingMs.toFixed(1),
				'times parsing': (decidingMs / parsingMs).toFixed(1),
			};
		}
		console.table(rows);
	}
	for (const isAdded of [true, false]) {
		const rows: Record<string, object> = {};
		for (const count of LONG) {
			const text = writeList(count);
			const times = Array.from({ length: RUNS }, () => measureLong(text, (number += 1), isAdded));
			const first = getMedian(times.map(([each]) => each));
			const deciding = getMedian(times.map(([, each]) => each));
			rows[`${count} entries`] = {
				'first list (times parsing)': first.toFixed(1),
				'deciding (times parsing)': deciding.toFixed(1),
			};
			if (isAdded && count === LONG[0] && deciding > LIMIT) process.exitCode = 1;
		}
		const whose = isAdded ? 'added by this process' : 'queued elsewhere (Queue > Wait)';
		console.log(`One item, ${whose}; limit for ${LONG[0]} entries of an added one: ${LIMIT}`);
		console.table(rows);
	}
}

void main();
