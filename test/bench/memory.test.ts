import type { INodeParameters } from 'n8n-workflow';
import type { Service } from '../../nodes/VideoGeneration/api/request';
import { getKeyVideos } from '../../nodes/VideoGeneration/waiting/accountVideos';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { byId, GENERATE, OPERATIONS } from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';
import { passTime, runWithoutWaiting, SkippedTime } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';
import { DeduplicationStore } from '../support/n8nServer/DeduplicationStore';

const service = useSandbox({ credits: 1_000_000 });

/** How many executions there are, `npm run bench -- memory --executions 10000`. */
const EXECUTIONS = Number(process.env.EXECUTIONS ?? 1_000);

/**
 * What is never forgotten is left in each part of them; a cache that grows, or is cleared, counts in one. The first part
 * fills the caches of n8n, Node.js and jest.
 */
const PARTS = 4;

/** Executions of one run of the skipped clock. */
const PART = 50;

/**
 * The memory that an execution may leave beyond the other node, in bytes. An empty object of a lane takes more than 200;
 * the heap of jest itself grows or shrinks by so much in each part, so that 10,000 executions tell more than 1,000.
 */
const LIMIT = 200 + 2_000_000 / EXECUTIONS;

/**
 * An operation without lanes, which sends as many requests: what its executions leave is n8n's, the service's
 * and jest's.
 */
const PEER = OPERATIONS['project.getAll'];
const SIX = Array.from({ length: 6 }, () => ({}));

const SHORT = { pendingMs: 0, processingMs: 500, renderingMs: 0 };

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

const generate = (projectId: string) => ({
	...GENERATE,
	projectId: byId(projectId),
	waitOptions: { pollingInterval: 1, listingDelay: 1 },
});

let pairs = 0;

/** Runs two executions at the same time. Those that make videos of a new project take turns. */
async function runPair(build: (projectId: string) => INodeParameters): Promise<void> {
	const { sandbox } = service;
	// The service has its memory in this process, too, and n8n's database.
	sandbox.reset();
	new DeduplicationStore().use();
	const id = `project-${(pairs += 1)}`;
	sandbox.addProjects('main', [{ id }]);
	sandbox.configure({ durations: SHORT });
	const parameters = build(id);
	const setup = { ...service.setup(parameters), items: parameters === PEER ? SIX : [{}] };
	for (const ending of await Promise.all([runNode(setup), runNode(setup)])) {
		expect(ending.error).toBeUndefined();
		expect(ending.items[0]?.json.video ?? ending.items[0]?.json.id).toBeTruthy();
	}
}

/** Everything that is kept for some time has an end by then: an hour is the longest. */
const LATER_MS = 2 * 3_600_000;

/** @returns the bytes that each execution leaves for longer than anything is kept on purpose */
async function execute(count: number, build: (projectId: string) => INodeParameters) {
	const before = measureHeap();
	for (let left = count; left > 0; left -= PART) {
		await runWithoutWaiting(async () => {
			for (let part = Math.min(PART, left); part > 0; part -= 2) await runPair(build);
		}, service.sandbox);
	}
	passTime(LATER_MS);
	// Whatever is kept of the last ones is kept of the same ones each time.
	for (const each of [generate, () => PEER])
		await runWithoutWaiting(() => runPair(each), service.sandbox);
	return Math.round((measureHeap() - before) / count);
}

function measureHeap(): number {
	for (let times = 0; times < 3; times++) collectGarbage();
	return process.memoryUsage().heapUsed;
}

test('Executions that take turns leave no more memory than others', async () => {
	const parts: [peer: number, own: number][] = [];
	for (let part = 0; part < PARTS; part++) {
		const count = EXECUTIONS / PARTS;
		parts.push([await execute(count, () => PEER), await execute(count, generate)]);
	}
	const getMedian = (each: number[]) => each.slice(1).sort((a, b) => a - b)[1] ?? NaN;
	const peer = getMedian(parts.map(([peer]) => peer));
	const own = getMedian(parts.map(([, own]) => own));
	const figures = `leave ${own} bytes each; of Project > Get Many, ${peer}`;
	process.stdout.write(`${EXECUTIONS} executions, two at a time, ${figures}\n`);
	expect(own - peer).toBeLessThan(LIMIT);
}, 3_600_000);

/** The entries of a long list, and the memory that each may take while an item waits, and after that, in bytes. */
const ENTRIES = 100_000;
const ENTRY_LIMITS = { waiting: 130, later: 20 };

test('Of a long list, an account keeps little while an item waits, and next to nothing after that', () => {
	const list = JSON.stringify(
		Array.from({ length: ENTRIES }, (_, i) => ({
			id: `${i}`.padStart(36, 'video-'),
			url: `https://cdn.example.com/videos/${i}/file.mp4?signature=${i}`,
			projectId: 'project-product-teaser',
			createdAt: new Date(1_750_000_000_000 + i * 1_000).toISOString(),
		})),
	);
	const videos = getKeyVideos({ baseUrl: 'https://long.example.com', keyId: 1 } as Service);
	const before = measureHeap();
	const end = videos.begin();
	videos.show(JSON.parse(list) as unknown[], performance.now());
	const waiting = (measureHeap() - before) / ENTRIES;
	end();
	const later = (measureHeap() - before) / ENTRIES;
	const figures = `${waiting.toFixed(0)} bytes for each while an item waits, and ${later.toFixed(1)} later`;
	process.stdout.write(`Of ${ENTRIES} videos, an account keeps ${figures}\n`);
	expect(waiting).toBeLessThan(ENTRY_LIMITS.waiting);
	expect(later).toBeLessThan(ENTRY_LIMITS.later);
});

/** The rounds of a loop, and the videos that the service lists meanwhile. */
const ROUNDS = EXECUTIONS / 10;
const LISTED = 5_000;

/** The memory that a round may leave beyond one with a short list, in bytes. */
const ROUND_LIMIT = 5_000;

/** Runs the node in a loop of one execution. @returns the bytes that each round leaves */
async function loop(listed: number): Promise<number> {
	const { sandbox } = service;
	sandbox.reset();
	sandbox.configure({ durations: SHORT });
	const createdAt = '2025-01-01T00:00:00.000Z';
	const videos = Array.from({ length: listed }, () => ({ createdAt }));
	sandbox.addVideos('main', videos);
	const heap: number[] = [];
	const firstRound = Math.ceil(ROUNDS / 10);
	let round = 0;
	const stop = sandbox.onRequest(({ operation }) => {
		if (operation !== 'queue.add') return;
		round += 1;
		if (round === firstRound || round === ROUNDS) heap.push(measureHeap());
		// The service has its memory in this process, too.
		sandbox.clearRequests();
	});
	const setup = { ...service.setup(generate('project-product-teaser')), times: ROUNDS };
	const time = new SkippedTime(sandbox);
	const work = { isOver: false };
	const result = runNode(setup).finally(() => (work.isOver = true));
	result.catch(() => undefined);
	// A thousand rounds take longer than a run of the skipped clock may.
	while (!work.isOver) await time.skipUntil(() => work.isOver).catch(() => undefined);
	time.end();
	stop();
	expect((await result).runs).toHaveLength(ROUNDS);
	const [first = 0, last = 0] = heap;
	return Math.round((last - first) / (ROUNDS - firstRound));
}

test('A round of a loop leaves nothing of a long list', async () => {
	await loop(10);
	const short = await loop(10);
	const long = await loop(LISTED);
	const figures = `${long} bytes with ${LISTED} videos listed, and ${short} with 10`;
	process.stdout.write(`A round leaves ${figures}\n`);
	expect(long - short).toBeLessThan(ROUND_LIMIT);
}, 3_600_000);
