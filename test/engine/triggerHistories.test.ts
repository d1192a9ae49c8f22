import { createHash } from 'node:crypto';
import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import fc from 'fast-check';
import type { INodeExecutionData } from 'n8n-workflow';
import { readVideoFile } from '../../sandbox/files/readVideoFile';
import type { PollResult, Storage } from '../support/n8nServer/ActiveTrigger';
import { ActiveTrigger, STATE_KEY, STORAGES } from '../support/n8nServer/ActiveTrigger';
import { passTime, runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { hasFeature } from '../support/engine/testWith';
import { useBinaryStore } from '../support/engine/useBinaryStore';

/** `npm run test:long` sets a larger number, with a new seed each time; a failure prints its seed. */
const LONG_RUNS = Number(process.env.HISTORIES ?? 0);
const SETTINGS = LONG_RUNS > 0 ? { numRuns: LONG_RUNS } : { numRuns: 30, seed: 7 };

const START = Date.parse('2026-01-15T12:00:00.000Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;
const YEAR_MS = 365 * DAY_MS;

/** The keys of two accounts, the first of which has two. */
const ACCOUNTS = { 'key-first': 'a', 'key-renewed': 'a', 'key-stranger': 'b' } as const;
type Key = keyof typeof ACCOUNTS;
type Account = (typeof ACCOUNTS)[Key];

/** How people write a Base URL and a key. */
const WRITINGS: ((url: string, key: Key) => { baseUrl: string; apiKey: string })[] = [
	(baseUrl, apiKey) => ({ baseUrl, apiKey }),
	(url, apiKey) => ({ baseUrl: `${url}/`, apiKey }),
	(url, apiKey) => ({ baseUrl: ` ${url}/v1`, apiKey: `${apiKey}\n` }),
	(url, key) => ({ baseUrl: `${url.toUpperCase()}/v1//?x`, apiKey: `Bearer ${key}` }),
];

/** How services write a date: what they replace in ISO 8601, and the hours that it is ahead of UTC. */
const DATE_FORMS: [part: string, replacement: string, hours?: number][] = [
	['Z', 'Z'],
	['.000Z', 'Z'],
	['Z', '000Z'],
	['Z', ''],
	['T', ' '],
	['Z', '+00:00'],
	['Z', '+09:00', 9],
	['Z', '-0330', -3.5],
];
const NO_DATES = [
	'soon',
	'',
	null,
	5,
	'9999-12-31T23:59:59Z',
	'0001-01-01T00:00:00.000Z',
	'2020-13-01T00:00:00Z',
	'2020-01-01T25:00:00.000Z',
	'2020-01-01Tsoon+02:00',
];

/** An entry of a video log. */
interface Video extends Pick<Finished, 'projectId' | 'file'> {
	id: unknown;
	/** Without its signature, which is another one in each list. */
	url: string;
	createdAt: string | number | null;
	/** What `createdAt` means; 0 if it is not a date. */
	time: number;
}

/** What a list holds beside entries. */
const JUNK = [null, 5, 'text', {}, []];
const FILE = readVideoFile('product-teaser');

/** What a service does instead of answering. */
const OUTAGES = ['reset', 'hang', 503, 401, 400] as const;
type Outage = (typeof OUTAGES)[number];

/** A service with two accounts. It also keeps the clock of n8n's machine. */
class Service {
	logs: Record<Account, Video[]> = { a: [], b: [] };

	/** A `constant` tag is broken. */
	tagging: 'strong' | 'none' | 'constant' = 'strong';

	outage: Outage | undefined;

	/** The list holds this many of the newest videos. */
	maxListed = Infinity;

	/** The list is empty for a moment. */
	isEmptied = false;

	/** By n8n's machine. */
	now = START;

	/** How much n8n's machine is ahead of the service. */
	aheadMs = 0;

	sendsDate = true;

	/** When the last list was sent, by the service's clock if it tells. */
	answeredAt = START;

	/** The statuses of the lists that were sent since this was emptied. */
	statuses: number[] = [];

	/** When a list was sent in full. */
	fullReads: number[] = [];

	readonly clock = {
		now: () => this.now,
		advance: (delayMs: number) => {
			this.now += delayMs;
		},
	};

	readonly onRequest = () => () => undefined;

	private signature = 0;

	private readonly hanging = new Set<http.ServerResponse>();

	/** The requests that wait for nothing but the clock. */
	readonly countSleeping = () => this.hanging.size;

	readonly server = http.createServer((request, response) => {
		response.sendDate = false;
		if (this.outage === 'reset') request.socket.destroy();
		if (this.outage === 'hang') {
			this.hanging.add(response.on('close', () => this.hanging.delete(response)));
		}
		if (this.outage === 'reset' || this.outage === 'hang') return;
		const { status, headers, body } = this.reply(request);
		response.writeHead(status, headers).end(body);
	});

	get url(): string {
		return `http://localhost:${(this.server.address() as AddressInfo).port}`;
	}

	list(account: Account): Video[] {
		const log = this.logs[account];
		if (this.isEmptied) return [];
		if (log.length <= this.maxListed) return log;
		return [...log].sort((a, b) => b.time - a.time).slice(0, this.maxListed);
	}

	private reply({ url = '', headers }: http.IncomingMessage) {
		if (!url.startsWith('/v1/')) {
			const videos = Object.values(this.logs).flat();
			const isGone = videos.some((video) => video.file === 'gone' && url.includes(video.url));
			return { status: isGone ? 404 : 200, body: FILE };
		}
		const key = headers.authorization?.replace('Bearer ', '') as Key;
		const log = this.list(ACCOUNTS[key]);
		if (typeof this.outage === 'number') return { status: this.outage };
		const ownNow = this.now - this.aheadMs;
		this.answeredAt = this.sendsDate ? ownNow - (ownNow % 1000) : this.now;
		const date = this.sendsDate ? { date: new Date(ownNow).toUTCString() } : {};
		const tags = {
			none: undefined,
			strong: `"${createHash('sha1').update(JSON.stringify(log)).digest('hex')}"`,
			constant: '"constant"',
		};
		const etag = tags[this.tagging];
		const isUnchanged = etag !== undefined && headers['if-none-match'] === etag;
		this.statuses.push(isUnchanged ? 304 : 200);
		if (isUnchanged) return { status: 304, headers: { ...date, etag } };
		this.fullReads.push(this.now);
		this.signature += 1;
		const videos = log.map(({ id, projectId, url: path, createdAt }) => ({
			id,
			projectId,
			createdAt,
			url: `${this.url}${path}?signature=${this.signature}`,
		}));
		const listed = log.length > 0 ? [...JUNK, ...videos] : [];
		return {
			status: 200,
			headers: { ...date, 'content-type': 'application/json', ...(etag && { etag }) },
			body: JSON.stringify({ status: 'success', message: '', videos: listed }),
		};
	}
}

const service = new Service();

/** What the documents say that a trigger remembers. */
interface Memory {
	key: Key;
	/** The times of the listed entries, by their identities. */
	seen: ReadonlyMap<string, number>;
	watched: readonly string[];
	/** What is dated earlier is old. */
	floor: number;
	/** Whether a list showed a dated one that is old or was forgotten. */
	hasOld?: boolean;
	/** Another key, with which the account had no videos when it was first polled. */
	empty?: { key: Key; floor: number };
	/** The key with which the list was last sent in full. */
	readBy?: Key;
}

/** The limits that the documents name. */
const REMEMBERED = 5_000;
const UNDATED_REMEMBERED = 1_000;
const STATE_LIMIT_BYTES = 256_000;
/** What n8n's scheduler grants a poll here, and an n8n without it; the first one has less than a minute. */
const BUDGET_MS = 45_000;
const DEFAULT_BUDGET_MS = 300_000;
const FIRST_BUDGET_MS = 60_000;
/** If n8n stores all files of a poll within this time, none is given up. */
const SURE_MS = 15_000;

/**
 * A trigger over time, compared with what the documents say: every video that finishes is emitted in the
 * next poll that can see it, only once, oldest first, with its file or with a reason; and n8n's limits of
 * time and the limits of the state are kept.
 *
 * Not drawn, but in trigger.test.ts and download.test.ts: polls of n8n's scheduler after a start, polls that hang
 * before they send, stores that fail or slow down within a file, and slow hosts.
 *
 * Not drawn at all: entries that are completed later; polls in another process; polls that n8n has prepared at
 * once before it saved any state; a change of n8n's storage; n8n's scheduler without durable cursors. What the
 * trigger can't tell: old videos that come into a list of fewer than 50 entries which none has left, or that have
 * no readable date, and a list that has only some of its entries for a moment.
 */
class History {
	readonly counts: Record<Account, number> = { a: 0, b: 0 };

	readonly removed: [Account, Video][] = [];

	key: Key = 'key-first';

	memory: Memory | 'damaged' | undefined;

	/** What n8n reads after a restart. */
	saved: Memory | 'damaged' | undefined;

	constructor(
		readonly trigger: ActiveTrigger,
		readonly setup: Beginning & { storage: Storage; budgetMs: number | undefined },
	) {}

	get isDurable(): boolean {
		return this.setup.storage === 'durable cursors';
	}

	/**
	 * Activates the workflow from the saved state, with which n8n polls at once. n8n does not activate a
	 * workflow whose first poll fails, and rolls back a poll whose execution it could not save.
	 */
	async publish({ outage, isEmptied = false, isRolledBack = false }: Start = {}): Promise<void> {
		const { trigger } = this;
		this.forgetUnsaved();
		if (outage) {
			const failure = this.run(() => [trigger.activate()], outage);
			await expect(failure).rejects.toHaveProperty('httpCode', getCode(outage));
		}
		const fate = { isRolledBack: isRolledBack && this.isDurable };
		service.isEmptied = isEmptied;
		const activate = async () => await this.run(() => [trigger.activate(fate)]);
		const results = await activate().catch(async (error: unknown) => {
			expect((error as Error).message).toContain("no 'createdAt'");
			expect(this.predict().isUnsure).toBe(true);
			finish(this, { account: ACCOUNTS[this.key], projectId: 'p', date: DATED, file: 0 });
			return await activate();
		});
		const isUndone = fate.isRolledBack && this.predict().videos.length > 0;
		if (!isUndone) this.check(results, true);
		service.isEmptied = false;
	}

	forgetUnsaved(): void {
		this.memory = this.saved;
	}

	/** n8n polls at most once a minute. */
	async run(start: () => Promise<PollResult>[], outage?: Outage) {
		passTime(MINUTE_MS);
		service.now += MINUTE_MS;
		Object.assign(service, { statuses: [], outage });
		return await runWithoutWaiting(async () => {
			const startedAt = jest.now();
			const measure = async (poll: Promise<PollResult>) => ({
				...(await poll),
				tookMs: jest.now() - startedAt,
			});
			return await Promise.all(start().map(measure));
		}, service).finally(() => {
			service.outage = undefined;
		});
	}

	check(results: Awaited<ReturnType<History['run']>>, isActivation = false): void {
		const items = results.flatMap((result) => result.items ?? []);
		const { videos, memory, isUnsure } = this.predict();
		if (isUnsure) {
			// A poll that fails changes nothing; at n8n's start, its error is in n8n's log.
			expect(items).toEqual([]);
			for (const { error } of results) {
				if (error) expect(error.message).toContain("no 'createdAt'");
			}
			return;
		}
		expect(items.map(getPath)).toEqual(videos.map(({ url }) => url));
		const budgetMs = isActivation ? FIRST_BUDGET_MS : (this.setup.budgetMs ?? DEFAULT_BUDGET_MS);
		for (const { tookMs, error } of results) {
			expect(error).toBeUndefined();
			expect(tookMs).toBeLessThan(budgetMs * results.length);
		}
		const { downloadVideo } = this.setup;
		const times = videos.map(({ file }) => (file === 'gone' ? 0 : file));
		const isSure = times.reduce((sum, each) => sum + each, 0) <= SURE_MS;
		for (const [index, { json, binary }] of items.entries()) {
			const hasFile = binary?.data !== undefined;
			const count = Number(hasFile) + Number(json.downloadError !== undefined);
			expect(count).toBe(Number(downloadVideo));
			const file = videos[index]?.file ?? 0;
			if (file === 'gone' || file >= DEFAULT_BUDGET_MS) expect(hasFile).toBe(false);
			else if (isSure) expect(hasFile).toBe(downloadVideo);
		}
		const { staticData, row = '' } = this.trigger.database;
		expect(Math.max(row.length, staticData.length / 2)).toBeLessThan(STATE_LIMIT_BYTES);
		expect(staticData + row).not.toMatch(/"log-|key-/);
		const isRead = service.statuses.includes(200);
		this.memory = isRead ? { ...memory, readBy: this.key } : memory;
		if (this.isDurable || isActivation || videos.length > 0) this.saved = this.memory;
	}

	/**
	 * Returns the videos that a poll with the list that the service has just sent must emit, and whether it must fail:
	 * without any date, an unseen video may be an old one.
	 */
	predict(): { videos: Video[]; memory: Memory; isUnsure?: boolean } {
		const { key } = this;
		const { emitExisting, projectIds } = this.setup;
		const log = service.list(ACCOUNTS[key]);
		const memory = this.memory === 'damaged' ? undefined : this.memory;
		if (!service.statuses.includes(200)) {
			expect(memory?.readBy).toBe(key);
			const isRecent = service.fullReads.some(
				(at) => at <= service.now && service.now - at < HOUR_MS,
			);
			expect(isRecent).toBe(true);
			if (memory && service.tagging === 'constant') {
				const watched = memory.key === key ? projectIds : memory.watched;
				return { videos: [], memory: { ...memory, watched } };
			}
		}
		const dayBefore = service.answeredAt - DAY_MS;
		const empty = memory?.empty?.key === key ? memory.empty : undefined;
		// An empty list does not tell whether the key is that of another account.
		if (memory && memory.key !== key && log.length === 0) {
			return { videos: [], memory: { ...memory, empty: empty ?? { key, floor: dayBefore } } };
		}
		const isForgotten = createForgottenTest(memory ?? { seen: new Map(), floor: 0 });
		const isListedBefore = (video: Video) =>
			!isForgotten(video.time) && memory?.seen.get(identify(video)) === video.time;
		const known = memory && (memory.key === key || log.some(isListedBefore)) ? memory : undefined;
		const isEmitting =
			known !== undefined || empty !== undefined || (this.memory === undefined && emitExisting);
		const firstFloor =
			known?.floor ?? empty?.floor ?? (isEmitting || log.length > 0 ? 0 : dayBefore);
		const seen = known ? adoptOtherIds(known, log, isForgotten) : new Map<string, number>();
		// Once a video has left the list, older ones than all that were seen may move up into it.
		const remembered = [...seen].filter(([, time]) => !isForgotten(time));
		const forgetsAny = firstFloor > 0 || isForgotten(1);
		const ids = new Set(log.map(identify));
		const hasLeft = remembered.some(([id]) => !ids.has(id));
		const firstSeen = Math.min(...remembered.map(([, time]) => time || Infinity));
		// Several at once tell that the list shows more.
		const older = log.filter((each) => each.time > 0 && each.time < firstSeen);
		const olderIds = new Set(older.map(identify).filter((id) => !seen.has(id)));
		const isOlder = olderIds.size > (hasLeft ? 0 : 1);
		const isRaised = isOlder && firstSeen < Infinity && !forgetsAny;
		const floor = isRaised ? firstSeen : firstFloor;
		const isOld = (time: number) =>
			(known !== undefined && isForgotten(time)) || (time > 0 && time < floor);
		const unseen = log.filter((video) => {
			const seenTime = seen.get(identify(video));
			const isNew = !isOld(video.time) && (seenTime === undefined || isOld(seenTime));
			if (isNew) seen.set(identify(video), video.time);
			return isNew;
		});
		// The videos of a project that is added are new once they finish after that.
		const watches = [projectIds, known?.watched ?? projectIds];
		const videos = unseen.filter((video) => watches.every((ids) => isWatched(video, ids)));
		videos.sort((a, b) => (a.time || Infinity) - (b.time || Infinity) || 0);
		const dated = log.filter(({ time }) => time > 0);
		const after = { seen, floor };
		const hasOld = known?.hasOld === true || dated.some(({ time }) => isOld(time));
		const isForgottenAfter = createForgottenTest(after);
		const forgets = [...seen.values()].some((time) => time > 0 && isForgottenAfter(time));
		const isUndated = log.length > 0 && dated.length === 0;
		return {
			videos: isEmitting ? videos : [],
			memory: { ...known, ...after, key, watched: projectIds, hasOld: hasOld || forgets },
			isUnsure: isEmitting && isUndated && ((hasOld && unseen.length > 0) || isOld(0)),
		};
	}
}

function getCode(outage: Outage): string {
	return outage === 'reset' ? 'ECONNRESET' : outage === 'hang' ? 'ETIMEDOUT' : String(outage);
}

/** Of more than 5,000 videos, those as old as the forgotten ones; without a date, of more than 1,000, all. */
function createForgottenTest({ seen, floor }: Pick<Memory, 'seen' | 'floor'>) {
	const times = Float64Array.from(seen.values()).sort();
	const dated = times.filter((time) => time > 0);
	const boundary = dated.at(-REMEMBERED - 1) ?? 0;
	const isUndatedForgotten = times.length - dated.length > UNDATED_REMEMBERED;
	return (time: number) => (time === 0 ? isUndatedForgotten : time <= boundary || time < floor);
}

/** If a list shows more dates that are known with another ID than entries with their own one, its IDs have changed. */
function adoptOtherIds(
	{ seen }: Memory,
	log: readonly Video[],
	isForgotten: (time: number) => boolean,
): Map<string, number> {
	const kept = new Map([...seen].filter(([, time]) => !isForgotten(time)));
	const toSecond = (time = NaN) => Math.floor(time / 1_000);
	const isSame = (video: Video) => toSecond(kept.get(identify(video))) === toSecond(video.time);
	const same = log.filter(isSame);
	const own = new Set(same.map(identify));
	const dates = new Set([...kept].flatMap(([id, time]) => (own.has(id) ? [] : [toSecond(time)])));
	const dated = log.filter(
		(video) => !own.has(identify(video)) && video.time > 0 && dates.has(toSecond(video.time)),
	);
	const others = new Set(dated.map(({ time }) => toSecond(time)));
	if (dated.length < 2 || others.size <= same.length) return new Map(seen);
	const left = [...seen].filter(([id, time]) => own.has(id) || !others.has(toSecond(time)));
	return new Map([
		...left,
		...dated.map((video): [string, number] => [identify(video), video.time]),
	]);
}

const isWatched = ({ projectId }: Video, projectIds: readonly string[]) =>
	projectIds.length === 0 || projectIds.includes(projectId);

/** JavaScript cannot tell two integers beyond its own apart: then, and without an ID, the rest counts. */
function identify({ id, url, projectId, createdAt }: Video): string {
	const isId = typeof id === 'string' || Number.isSafeInteger(id);
	return isId ? String(id) : [url, projectId, createdAt].join();
}

const getPath = ({ json }: INodeExecutionData) => new URL(json.url as string).pathname;

function createId(count: number): unknown {
	if (count % 11 === 0) return null;
	if (count % 7 === 0) return `${'very long '.repeat(200)}${count}`;
	if (count % 5 === 0) return 2 ** 53;
	return count % 3 === 0 ? count : `log-${count}`;
}

/** The dates of two accounts differ, so that an ID and a date tell the account. */
function writeDate(account: Account, date: Finished['date']): Pick<Video, 'createdAt' | 'time'> {
	if ('noDate' in date) return { createdAt: date.noDate, time: 0 };
	const time = START + date.offsetMs + (account === 'b' ? 17_000 : 0);
	const [part, replacement, hours = 0] = DATE_FORMS[date.form] ?? ['', ''];
	const createdAt = new Date(time + hours * HOUR_MS).toISOString().replace(part, replacement);
	return { createdAt, time };
}

const PROJECTS = ['p', 'q'];

/** The videos that an account has before the trigger exists: one a second, in groups with the same time. */
function createExisting({ size, undatedEvery, ageMs }: Beginning): Finished[] {
	return Array.from({ length: size }, (_, i) => ({
		account: 'a',
		projectId: PROJECTS[i % 2] ?? '',
		file: 0,
		date:
			i % undatedEvery === 1
				? { noDate: 'soon' }
				: { offsetMs: -ageMs - (i - (i % 300)) * 1_000, form: 0 },
	}));
}

const oneIn = (cases: number) => fc.nat(cases - 1).map((roll) => roll === cases - 1);
/** The start of n8n, or a person who publishes. */
const start = fc.record({
	outage: fc.option(fc.constantFrom(...OUTAGES), { nil: undefined }),
	isEmptied: oneIn(5),
	isRolledBack: fc.boolean(),
});
type Drawn<T> = T extends fc.Arbitrary<infer Value> ? Value : never;
type Start = Partial<Drawn<typeof start>>;
const account = fc.constantFrom<Account>('a', 'a', 'a', 'b');
const projects = fc.subarray(PROJECTS);
const nothing = fc.constant(undefined);
const multiples = (unitMs: number, min: number, max: number) =>
	fc.integer({ min, max }).map((count) => count * unitMs);
const offsetMs = fc.oneof(
	{ weight: 4, arbitrary: fc.constant(0) },
	{ weight: 4, arbitrary: multiples(MINUTE_MS, -9, 9) },
	{ weight: 2, arbitrary: multiples(HOUR_MS, -5, 5) },
	// The oldest of 5,000 videos that exist at first are as old as these.
	{ weight: 2, arbitrary: multiples(MINUTE_MS, -85, -75) },
	{ weight: 2, arbitrary: fc.constantFrom(500, -DAY_MS - HOUR_MS, -YEAR_MS, 5 * YEAR_MS) },
);
const finished = fc.record({
	account,
	projectId: fc.constantFrom(...PROJECTS),
	date: fc.oneof(
		{ weight: 6, arbitrary: fc.record({ offsetMs, form: fc.nat(DATE_FORMS.length - 1) }) },
		{ weight: 1, arbitrary: fc.record({ noDate: fc.constantFrom(...NO_DATES) }) },
	),
	// Gone, or the time that n8n takes to store it, which may stall for good, as a database or S3 in an outage.
	file: fc.constantFrom<number | 'gone'>(
		0,
		0,
		0,
		200,
		3_000,
		20_000,
		44_000,
		46_000,
		Infinity,
		'gone',
	),
});

type Finished = Drawn<typeof finished>;

const DATED: Finished['date'] = { offsetMs: 0, form: 0 };

function finish({ counts }: History, { account: of, date, ...video }: Finished): void {
	// Both accounts number their videos from 1, so an ID alone tells neither account nor video.
	const count = (counts[of] += 1);
	const named = { id: createId(count), url: `/files/${of}-${count}.mp4` };
	service.logs[of].push({ ...video, ...named, ...writeDate(of, date) });
}

/** How often something happens, with what, and what it does. */
function define<T>(
	weight: number,
	values: fc.Arbitrary<T>,
	act: (history: History, value: T) => unknown,
) {
	return { weight, values, act: act as (history: History, value: unknown) => unknown };
}

const STEPS = {
	finish: define(80, fc.array(finished, { minLength: 1, maxLength: 3 }), (history, videos) => {
		for (const video of videos) finish(history, video);
	}),
	poll: define(64, fc.record({ isEmptied: oneIn(16) }), async (history, { isEmptied }) => {
		service.isEmptied = isEmptied;
		history.check(await history.run(() => [history.trigger.poll()]));
		service.isEmptied = false;
	}),
	publish: define(15, start, async (history, value) => {
		await history.publish(value);
	}),
	/** n8n starts. While the service is down, nothing fails and nothing is forgotten: n8n would not poll again. */
	restart: define(15, start, async (history, { outage, ...others }) => {
		if (!outage) {
			await history.publish(others);
			return;
		}
		const { trigger } = history;
		history.forgetUnsaved();
		const before = JSON.stringify(trigger.database);
		const [result] = await history.run(() => [trigger.activate({}, 'init')], outage);
		expect(result).toMatchObject({ items: null });
		expect(JSON.stringify(trigger.database)).toBe(before);
	}),
	/** After a pause, n8n runs the polls that it has missed at once. */
	pollMissed: define(8, nothing, async (history) => {
		const poll = async () => await history.trigger.poll();
		history.check(await history.run(() => [poll(), poll(), poll()]));
	}),
	/** After a pause, n8n has at least prepared at once the polls that it has missed. */
	pollPrepared: define(12, nothing, async (history) => {
		const { trigger } = history;
		if (history.memory === undefined) return;
		const prepare = () => {
			const after = trigger.poll();
			return [after, trigger.poll({ after }), trigger.poll({ after })];
		};
		history.check(await history.run(prepare));
	}),
	pollFailing: define(4, fc.constantFrom(...OUTAGES), async (history, outage) => {
		const { database } = history.trigger;
		const before = JSON.stringify(database);
		const [result] = await history.run(() => [history.trigger.poll()], outage);
		expect(result?.error).toHaveProperty('httpCode', getCode(outage));
		expect(result?.tookMs).toBeLessThan(history.setup.budgetMs ?? MINUTE_MS);
		expect(JSON.stringify(database)).toBe(before);
	}),
	/** An older n8n abandons no poll. */
	pollAbandoned: define(4, nothing, async (history) => {
		if (!hasFeature('durableCursors')) return;
		await history.run(() => [history.trigger.poll({ isAbandoned: true })]);
		await history.publish();
	}),
	/** Without durable cursors, nothing is rolled back. */
	pollRolledBack: define(4, nothing, async (history) => {
		if (!history.isDurable) return;
		const results = await history.run(() => [history.trigger.poll({ isRolledBack: true })]);
		if (history.predict().videos.length === 0) history.check(results);
	}),
	testEvent: define(5, nothing, async ({ key, setup, trigger }) => {
		const { state } = trigger;
		const fetched = runWithoutWaiting(() => trigger.fetchTestEvent(), service);
		const listed = service
			.list(ACCOUNTS[key])
			.filter((video) => isWatched(video, setup.projectIds));
		const [newest] = [...listed].sort((a, b) => b.time - a.time);
		if (newest) expect((await fetched)?.map(getPath)).toEqual([newest.url]);
		else await expect(fetched).rejects.toThrow('There is no finished video to show yet');
		expect(trigger.state).toBe(state);
	}),
	remove: define(
		15,
		fc.record({
			account,
			share: fc.double({ min: 0, max: 0.999, noNaN: true }),
			count: fc.constantFrom(1, 1, 10),
		}),
		({ removed }, { account: of, share, count }) => {
			const log = service.logs[of];
			const videos = log.splice(Math.floor(log.length * share), count);
			removed.push(...videos.map((video): [Account, Video] => [of, video]));
		},
	),
	/** The service changes how many videos it lists. */
	cutOff: define(4, fc.constantFrom(50, 100, Infinity), (_, maxListed) => {
		service.maxListed = maxListed;
	}),
	restore: define(5, nothing, ({ removed }) => {
		for (const [of, video] of removed.splice(0)) service.logs[of].push(video);
	}),
	shuffle: define(5, fc.double({ min: 0, max: 1, noNaN: true }), (_, share) => {
		const { a } = service.logs;
		const middle = Math.floor(a.length * share);
		service.logs.a = [...a.slice(middle), ...a.slice(0, middle)].reverse();
	}),
	repeat: define(5, fc.nat(REMEMBERED), (_, count) => {
		const { a } = service.logs;
		a.push(...a.slice(0, count));
	}),
	tag: define(10, fc.constantFrom('strong', 'none', 'constant'), (_, tagging) => {
		service.tagging = tagging;
	}),
	/** The clock of n8n's machine is set. */
	setClock: define(
		10,
		fc.constantFrom(-100_000, -90, -1, 30, 58, 59, 60, 100_000),
		(_, minutes) => {
			service.now += minutes * MINUTE_MS;
			service.aheadMs += minutes * MINUTE_MS;
		},
	),
	/** The credential is edited. */
	edit: define(
		30,
		fc.record({
			key: fc.constantFrom<Key>('key-first', 'key-first', 'key-renewed', 'key-stranger'),
			writing: fc.nat(WRITINGS.length - 1),
		}),
		(history, { key, writing }) => {
			history.key = key;
			history.trigger.credentials = WRITINGS[writing]?.(service.url, key) ?? {};
		},
	),
	/** The node is renamed, and the workflow is published again. */
	rename: define(
		10,
		fc.constantFrom('Video Trigger', 'Renamed', 'toString'),
		async (history, name) => {
			history.trigger.name = name;
			await history.publish();
		},
	),
	watch: define(30, projects, async (history, projectIds) => {
		history.setup.projectIds = projectIds;
		history.trigger.parameters = { ...history.trigger.parameters, projectIds };
		await history.publish();
	}),
	/** What n8n has saved is damaged or deleted. */
	damage: define(
		3,
		fc.constantFrom(5, null, { version: 2, videos: '' }, undefined),
		async (history, value) => {
			const { database } = history.trigger;
			database.staticData = JSON.stringify({ global: { [STATE_KEY]: value } });
			if (database.row !== undefined) database.row = JSON.stringify({ cursor: value });
			history.saved = value === undefined ? undefined : 'damaged';
			await history.publish();
		},
	),
};
type Kind = keyof typeof STEPS;
const step = fc.oneof(
	...Object.entries(STEPS).map(([kind, { weight, values }]) => ({
		weight,
		arbitrary: values.map((value) => [kind as Kind, value] as const),
	})),
);
/** What there is when the workflow is published for the first time. */
const beginning = fc
	.record({
		size: fc.oneof(
			{ weight: 30, arbitrary: fc.constantFrom(0, 1, 2, 30, 49, 50, 60, 120) },
			{ weight: 1, arbitrary: fc.constantFrom(REMEMBERED, REMEMBERED + 1, 10_000) },
		),
		undatedEvery: fc.constantFrom(97, 3),
		maxListed: fc.constantFrom(50, 100, Infinity),
		sendsDate: fc.boolean(),
		/** How old the newest of them is. */
		ageMs: fc.constantFrom(0, 0, DAY_MS, YEAR_MS),
		projectIds: projects,
		emitExisting: fc.boolean(),
		downloadVideo: fc.boolean(),
		isTimed: fc.boolean(),
		first: start,
	})
	// Many files would take too long.
	.map((each) => ({ ...each, downloadVideo: each.downloadVideo && each.size <= 30 }));
type Beginning = Drawn<typeof beginning>;

const store = useBinaryStore();
beforeAll(async () => {
	await once(service.server.listen(0, 'localhost'), 'listening');
	// The polls of n8n's scheduler are not those of its start.
	passTime(HOUR_MS);
});
afterEach(() => {
	jest.restoreAllMocks();
});
afterAll(async () => {
	service.server.closeAllConnections();
	await once(service.server.close(), 'close');
});

test.each(STORAGES)(
	'With the state in %s, every video is emitted once, in the next poll, oldest first, with its file or the reason',
	async (storage) => {
		const storeFile = store.service.store.bind(store.service);
		jest.spyOn(store.service, 'store').mockImplementation(async (...args) => {
			const stored = await storeFile(...args);
			const videos = Object.values(service.logs).flat();
			const { file } = videos.find(({ url }) => url.endsWith(`/${stored.fileName}`)) ?? {};
			await new Promise<void>((resolve) => {
				if (file !== Infinity) setTimeout(resolve, Number(file));
			});
			return stored;
		});
		const steps = fc.array(step, { minLength: 1, maxLength: 25 });
		const play = async (drawn: Beginning, drawnSteps: Drawn<typeof steps>) => {
			const { downloadVideo, emitExisting, maxListed, projectIds, sendsDate } = drawn;
			Object.assign(service, {
				logs: { a: [], b: [] },
				tagging: 'strong',
				now: START,
				aheadMs: 0,
				fullReads: [],
				maxListed,
				sendsDate,
			});
			// n8n's scheduler, which limits the time of a poll, comes with durable cursors.
			const isTimed = hasFeature('pollBudget') && (drawn.isTimed || storage !== 'static data');
			const budgetMs = isTimed ? BUDGET_MS : undefined;
			const trigger = await ActiveTrigger.create({
				credentials: { baseUrl: service.url, apiKey: 'key-first' },
				storage,
				budgetMs,
				parameters: { projectIds, options: { emitExisting, downloadVideo } },
			});
			const history = new History(trigger, { ...drawn, storage, budgetMs });
			STEPS.finish.act(history, createExisting(drawn));
			await history.publish(drawn.first);
			for (const [kind, value] of drawnSteps) await STEPS[kind].act(history, value);
			STEPS.setClock.act(history, 60);
			await STEPS.poll.act(history, { isEmptied: false });
		};
		await fc.assert(fc.asyncProperty(beginning, steps, play), SETTINGS);
	},
	3_600_000,
);
