import { fork } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { ActiveTrigger } from '../support/n8nServer/ActiveTrigger';
import { measureInTurn, reportTimes } from './compareInTurn';

/** `ENTRIES=20000 npm run bench -- poll` measures another length. */
const ENTRIES = Number(process.env.ENTRIES ?? 100_000);
const NEWEST = Date.parse('2026-01-15T12:00:00.000Z');
/** What Node.js compiles, and when it collects garbage, differs from process to process. */
const PROCESSES = 3;
const WARM_UPS = 3;
const PAIRS = 24;
const IDLE_POLLS = 20;
/** Maximum CPU time of a poll, as a multiple of the bare request's. */
const LIMIT = 1.3;
/** The same if the service sends tags and nothing has changed. */
const IDLE_LIMIT = 0.05;

/**
 * Compares polls of a long list with the bare request for it through n8n's own helper. The service is a
 * separate process, so that its work is not counted.
 */
async function measurePolls() {
	const server = fork(__filename, ['serve']);
	try {
		const [baseUrl] = (await once(server, 'message')) as [string];
		const credentials = { baseUrl, apiKey: 'key-of-the-benchmark' };
		const trigger = await ActiveTrigger.create({ credentials });
		await trigger.activate();
		const poll = async (count: number) => {
			const { error, items } = await trigger.poll();
			if (error) throw error;
			if ((items?.length ?? 0) !== count) throw new Error(`${items?.length} new videos`);
		};
		const pollNew = async () => {
			server.send('add');
			await once(server, 'message');
			await poll(1);
		};
		const pollAgain = async () => {
			await poll(0);
		};
		const context = trigger.createPollContext();
		const request = { url: '/v1/videos', method: 'GET', json: true } as const;
		const send = context.helpers.httpRequestWithAuthentication;
		const sendRequest = async () =>
			(await send.call(context, 'videoGenerationApi', request)) as unknown;
		const full = await compareAtRandom(
			async () => await measure(pollNew),
			async () => await measure(sendRequest),
		);
		const idle = await measureInTurn(
			1,
			async () => await measure(pollAgain, IDLE_POLLS),
			async () => await measure(sendRequest),
		);
		return { full, idle };
	} finally {
		server.disconnect();
	}
}

/**
 * Measures both the same number of times, in random order. Garbage is collected every second time or so: in a fixed
 * order, always in the one and never in the other. So the means count, with it.
 */
async function compareAtRandom(ours: () => Promise<number>, other: () => Promise<number>) {
	await measureInTurn(WARM_UPS, ours, other);
	let [ourMs, otherMs] = [0, 0];
	for (let pair = 0; pair < PAIRS; pair++) {
		const isFirst = Math.random() < 0.5;
		if (isFirst) ourMs += await ours();
		otherMs += await other();
		if (!isFirst) ourMs += await ours();
	}
	return { ourMs: ourMs / PAIRS, otherMs: otherMs / PAIRS, ratio: ourMs / otherMs };
}

async function main(): Promise<void> {
	const measured: Awaited<ReturnType<typeof measurePolls>>[] = [];
	for (let number = 0; number < PROCESSES; number++) {
		const child = fork(__filename, ['measure']);
		const died = once(child, 'exit').then(([code]) => {
			throw new Error(`The measured process ended with ${String(code)}`);
		});
		const [result] = (await Promise.race([once(child, 'message'), died])) as typeof measured;
		if (result) measured.push(result);
	}
	const name = `A poll of ${ENTRIES} short entries`;
	const peer = 'the bare request';
	const [full, idle] = [measured.map((each) => each.full), measured.map((each) => each.idle)];
	reportTimes({ name: `${name}, one of them new`, peer, limit: LIMIT }, full);
	reportTimes({ name: `${name}, by their tag the same`, peer, limit: IDLE_LIMIT }, idle);
}

/**
 * Returns the CPU time of an action in milliseconds. Node.js runs in a single thread here, so that the garbage
 * is collected in it, and other work of the machine hardly matters.
 */
async function measure(action: () => Promise<unknown>, times = 1): Promise<number> {
	const before = process.cpuUsage();
	for (let time = 0; time < times; time++) await action();
	const { user, system } = process.cpuUsage(before);
	return (user + system) / 1000 / times;
}

/** Serves a long list with a tag until the process that started this one ends. A message adds an entry. */
function serve(): void {
	const createEntry = (index: number) =>
		JSON.stringify({
			id: `video-${ENTRIES + index}`,
			url: `https://files.example.com/${ENTRIES + index}.mp4`,
			projectId: 'project-product-teaser',
			createdAt: new Date(NEWEST + index * 61_234).toISOString(),
		});
	let list = Array.from({ length: ENTRIES }, (_, index) => createEntry(-index)).join(',');
	let added = 0;
	process.on('message', () => {
		added += 1;
		list = `${createEntry(added)},${list}`;
		process.send?.('added');
	});
	const server = createServer((request, response) => {
		const etag = `"${added}"`;
		const isKnown = request.headers['if-none-match'] === etag;
		response.writeHead(isKnown ? 304 : 200, { 'Content-Type': 'application/json', ETag: etag });
		response.end(isKnown ? undefined : `{"status":"success","videos":[${list}]}`);
	});
	server.listen(0, '127.0.0.1', () => {
		process.send?.(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
	});
	process.once('disconnect', () => process.exit());
}

if (process.send && process.argv[2] === 'serve') serve();
else if (process.send && process.argv[2] === 'measure') {
	void measurePolls().then((result) => {
		process.send?.(result, () => process.exit());
	});
} else void main();
