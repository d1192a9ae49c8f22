import fc from 'fast-check';
import type { INodeExecutionData } from 'n8n-workflow';
import { ETAGS } from '../../sandbox/domain/settings';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import {
	ActiveTrigger,
	type Fate,
	type PollResult,
	STATE_KEY,
	type Storage,
	STORAGES,
} from '../support/n8nServer/ActiveTrigger';
import { passTime, runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { hasFeature } from '../support/engine/testWith';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';
import { testPlans } from './testPlans';

/*
 * What happens to a trigger, its account and its n8n: another key, another account, dates out of order, tags, a clock
 * that is set, a service that is down, and polls that n8n abandons, rolls back or forgets. Each video that finishes is
 * emitted by the next poll that can see it, only once, oldest first, with its file or with the reason.
 *
 * No video here is older than all that were seen, and all keep their IDs and dates: what a service may write otherwise,
 * and which projects start the workflow, is drawn in triggerYears.test.ts.
 */

const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** The accounts of the keys; the sandbox has no videos of them. */
const ACCOUNTS = { first: 'main', renewed: 'main', stranger: 'empty' } as const;
type Key = keyof typeof ACCOUNTS;
type Account = (typeof ACCOUNTS)[Key];

/** How people write a Base URL and a key. */
const WRITINGS = [
	(baseUrl: string, apiKey: string) => ({ baseUrl, apiKey }),
	(url: string, apiKey: string) => ({ baseUrl: ` ${url}/v1`, apiKey: `${apiKey}\n` }),
	(url: string, key: string) => ({
		baseUrl: `${url.toUpperCase()}/v1//?x`,
		apiKey: `Bearer ${key}`,
	}),
];

const OUTAGES: FaultSpec[] = [
	{ kind: 'reset' },
	{ kind: 'status', status: 503 },
	{ kind: 'status', status: 401 },
];

interface Video {
	id: string;
	url: string;
	/** When it has finished, as its entry says; Infinity without a readable date. */
	time: number;
	/** Whether it was there days before the first poll. */
	isExisting: boolean;
}

/** What the documents say that a trigger remembers. */
interface Memory {
	key: Key;
	seen: ReadonlySet<string>;
	/** Whether its first list was empty. */
	isFloored: boolean;
	/** Another key, with which the list was empty when it was polled first. */
	empty?: Key;
}

const of = fc.constantFrom;
const start = fc.record({
	outage: fc.option(of(...OUTAGES), { nil: undefined }),
	isEmptied: of(false, false, false, false, true),
	isRolledBack: fc.boolean(),
});
const beginning = fc.record({
	existing: fc.record({ main: of(0, 1, 12, 60), empty: of(0, 3) }),
	emitExisting: fc.boolean(),
	downloadVideo: fc.boolean(),
	first: start,
});
type Drawn<T> = T extends fc.Arbitrary<infer Value> ? Value : never;
type Start = Partial<Drawn<typeof start>>;

const service = useSandbox();
useBinaryStore();

class History {
	/** The list of each account. */
	readonly videos: Record<Account, Video[]> = { main: [], empty: [] };
	readonly counts: Record<Account, number> = { main: 0, empty: 0 };
	key: Key = 'first';
	/** How much the clock of n8n's machine is ahead of the service's. */
	aheadMs = 0;
	isReversed = false;
	etags: (typeof ETAGS)[number] = 'strong';
	/** What the trigger knows, and what n8n reads after a restart. */
	memory: Memory | 'damaged' | undefined;
	saved: Memory | 'damaged' | undefined;
	private isEmptied = false;

	constructor(
		readonly trigger: ActiveTrigger,
		readonly setup: Drawn<typeof beginning> & { isDurable: boolean },
	) {
		for (const account of ['main', 'empty'] as const) {
			for (let i = 0; i < setup.existing[account]; i++) this.finish(account, -9 * DAY_MS, true);
		}
	}

	get keys(): Record<Key, string> {
		const { main, empty } = service.sandbox.accounts;
		return { first: main.apiKey, renewed: main.otherApiKey, stranger: empty.apiKey };
	}

	/** Both accounts number from 1, and no two videos have the same second. @param offsetMs no date if it is undefined */
	finish(account: Account, offsetMs: number | undefined, isExisting = false): void {
		const count = (this.counts[account] += 1);
		const all = Object.values(this.videos).flat();
		let time = service.sandbox.clock.now() + (offsetMs ?? Infinity);
		while (time < Infinity && all.some((video) => video.time === time)) time += 1_000;
		const folder = count % 4 === 0 ? 'gone' : 'files';
		const url = `${service.sandbox.url}/${folder}/${account}/log-${count}.mp4`;
		this.videos[account].push({ id: `log-${count}`, url, time, isExisting });
	}

	private list(): Video[] {
		const all = this.isEmptied ? [] : this.videos[ACCOUNTS[this.key]];
		return this.isReversed ? [...all].reverse() : all;
	}

	/** n8n polls a minute later, at the earliest. */
	async run(poll: () => Promise<PollResult>, isEmptied: boolean, outage?: FaultSpec) {
		const { sandbox } = service;
		this.isEmptied = isEmptied;
		passTime(MINUTE_MS);
		const now = sandbox.clock.now() + MINUTE_MS;
		// The sandbox removes no videos.
		sandbox.reset();
		sandbox.clock.advance(now - sandbox.clock.now());
		sandbox.configure({ etags: this.etags });
		const listed = this.list().map(({ id, time, url }) => ({
			...{ id, url, projectId: 'p' },
			createdAt: time < Infinity ? new Date(time).toJSON() : 'soon',
		}));
		sandbox.addVideos(ACCOUNTS[this.key], listed);
		const operation = 'video.getAll';
		const date = new Date(now).toUTCString();
		sandbox.addFault({ kind: 'moreHeaders', headers: { date }, operation });
		if (outage) sandbox.addFault(outage);
		const { clock, onRequest } = sandbox;
		const ofN8n = {
			now: () => clock.now() + this.aheadMs,
			advance: clock.advance.bind(clock),
		};
		return await runWithoutWaiting(poll, { clock: ofN8n, onRequest });
	}

	/** n8n activates no workflow whose first poll fails, and rolls back a poll whose execution it could not save. */
	async publish({ outage, isEmptied = false, isRolledBack = false }: Start = {}) {
		this.memory = this.saved;
		if (outage) {
			const failing = this.run(async () => await this.trigger.activate(), false, outage);
			await expect(failing).rejects.toHaveProperty('httpCode');
		}
		const fate = { isRolledBack: isRolledBack && this.setup.isDurable };
		await this.poll(fate, isEmptied, async () => await this.trigger.activate(fate));
	}

	async poll(fate: Fate = {}, isEmptied = false, activate?: () => Promise<PollResult>) {
		const poll = activate ?? (async () => await this.trigger.poll(fate));
		const { items, error } = await this.run(poll, isEmptied);
		const { videos, memory } = this.predict();
		// n8n has saved neither the execution nor the state.
		if (fate.isAbandoned || (fate.isRolledBack && videos.length > 0)) return;
		expect(error).toBeUndefined();
		expect((items ?? []).map(({ json }) => json.url)).toEqual(videos.map(({ url }) => url));
		for (const item of items ?? []) this.checkFile(item);
		this.memory = memory;
		if (this.setup.isDurable || activate || videos.length > 0) this.saved = memory;
	}

	private checkFile({ json, binary }: INodeExecutionData): void {
		const isGone = (json.url as string).includes('/gone/');
		const { downloadVideo } = this.setup;
		expect(binary?.data !== undefined).toBe(downloadVideo && !isGone);
		expect(json.downloadError !== undefined).toBe(downloadVideo && isGone);
	}

	/** What a poll with the list must emit, and what the trigger knows afterwards. */
	private predict(): { videos: Video[]; memory: Memory } {
		const { key, memory, setup } = this;
		const list = this.list();
		const known = typeof memory === 'object' ? memory : undefined;
		const isOwn = known?.key === key;
		if (known && !isOwn && list.length === 0) {
			return { videos: [], memory: { ...known, empty: key } };
		}
		const isSameAccount = known !== undefined && ACCOUNTS[known.key] === ACCOUNTS[key];
		const isKnown = isOwn || (isSameAccount && list.some(({ id }) => known.seen.has(id)));
		const emits = isKnown || known?.empty === key || (memory === undefined && setup.emitExisting);
		// After an empty list, what is dated days before is old.
		const isFloored = isKnown
			? known.isFloored
			: known?.empty === key || (list.length === 0 && !emits);
		const later = list.filter(({ isExisting }) => !isFloored || !isExisting);
		const videos = emits ? later.filter(({ id }) => !isKnown || !known.seen.has(id)) : [];
		const seen = new Set([...(isKnown ? known.seen : []), ...later.map(({ id }) => id)]);
		return {
			videos: videos.sort((a, b) => (a.time === b.time ? 0 : a.time - b.time)),
			memory: { ...(isKnown && known), key, seen, isFloored },
		};
	}
}

/** How often something happens, with what, and what it does. */
function define<T>(
	weight: number,
	values: fc.Arbitrary<T>,
	act: (history: History, value: T) => Promise<void> | void,
) {
	const arbitrary = values.map((value) => async (history: History) => {
		await act(history, value);
	});
	return { weight, arbitrary };
}

const nothing = fc.constant(undefined);
const finished = fc.record({
	account: of<Account>('main', 'main', 'main', 'empty'),
	offsetMs: of(0, 0, 0, -5 * HOUR_MS, -9 * MINUTE_MS, 5 * HOUR_MS, 1_825 * DAY_MS, undefined),
});
const step = fc.oneof(
	define(80, fc.array(finished, { minLength: 1, maxLength: 3 }), (history, videos) => {
		for (const { account, offsetMs } of videos) {
			// Without older ones, one that is late may be older than all that were seen.
			const isOrdered = account === 'empty' || history.setup.existing.main === 0;
			history.finish(account, isOrdered ? 0 : offsetMs);
		}
	}),
	define(64, of(false, false, false, false, true), async (history, isEmptied) => {
		await history.poll({}, isEmptied);
	}),
	define(15, start, async (history, value) => {
		await history.publish(value);
	}),
	// n8n starts. While the service is down, nothing fails and nothing is forgotten: n8n would not poll again.
	define(8, of(...OUTAGES), async (history, outage) => {
		const { trigger } = history;
		const before = JSON.stringify(trigger.database);
		history.memory = history.saved;
		const starting = async () => await trigger.activate({}, 'init');
		expect(await history.run(starting, false, outage)).toEqual({ items: null });
		expect(JSON.stringify(trigger.database)).toBe(before);
	}),
	// An older n8n abandons no poll.
	define(4, nothing, async (history) => {
		if (hasFeature('durableCursors')) await history.poll({ isAbandoned: true });
		await history.publish();
	}),
	// Without durable cursors, nothing is rolled back.
	define(4, nothing, async (history) => {
		if (history.setup.isDurable) await history.poll({ isRolledBack: true });
	}),
	define(5, nothing, async (history) => {
		const { trigger } = history;
		const { state } = trigger;
		const show = async () => ({ items: await trigger.fetchTestEvent().catch(() => []) });
		const { items } = await history.run(show, false);
		expect(items).toHaveLength(Math.min(1, history.videos[ACCOUNTS[history.key]].length));
		expect(trigger.state).toBe(state);
	}),
	// Never the oldest one.
	define(10, fc.nat(60), ({ videos: { main } }, place) => {
		if (main.length > 1) main.splice(1 + (place % (main.length - 1)), 1);
	}),
	define(5, nothing, (history) => {
		history.isReversed = !history.isReversed;
	}),
	define(10, of(...ETAGS), (history, etags) => {
		history.etags = etags;
	}),
	define(10, of(-100_000, -90, -1, 30, 59, 60, 100_000), (history, minutes) => {
		history.aheadMs += minutes * MINUTE_MS;
	}),
	define(
		30,
		fc.record({ key: of<Key>('first', 'first', 'renewed', 'stranger'), write: of(...WRITINGS) }),
		(history, { key, write }) => {
			history.key = key;
			history.trigger.credentials = write(service.sandbox.url, history.keys[key]);
		},
	),
	// What n8n has saved is damaged or deleted.
	define(3, of(5, null, { version: 2, videos: '' }, undefined), async (history, value) => {
		const { database } = history.trigger;
		database.staticData = JSON.stringify({ global: { [STATE_KEY]: value } });
		if (database.row !== undefined) database.row = JSON.stringify({ cursor: value });
		history.saved = value === undefined ? undefined : 'damaged';
		await history.publish();
	}),
);

const play = async (
	storage: Storage,
	drawn: Drawn<typeof beginning>,
	steps: Drawn<typeof step>[],
) => {
	const { sandbox } = service;
	sandbox.reset();
	const { downloadVideo, emitExisting } = drawn;
	const trigger = await ActiveTrigger.create({
		credentials: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
		storage,
		parameters: { options: { emitExisting, downloadVideo } },
	});
	const history = new History(trigger, { ...drawn, isDurable: storage === 'durable cursors' });
	await history.publish(drawn.first);
	for (const act of steps) await act(history);
	await history.poll();
};

for (const storage of STORAGES) {
	testPlans(
		`With the state in ${storage}, every video is emitted once, in the next poll, oldest first, with its file or the reason`,
		fc.tuple(beginning, fc.array(step, { minLength: 1, maxLength: 25 })),
		{ usual: 8, share: 4 },
		async ([drawn, steps]) => {
			await play(storage, drawn, steps);
		},
	);
}
