import fc from 'fast-check';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { PollResult, Storage } from '../support/n8nServer/ActiveTrigger';
import { ActiveTrigger, passMinute, STORAGES } from '../support/n8nServer/ActiveTrigger';
import { hasFeature } from '../support/engine/testWith';

/**
 * `npm run test:long` sets a larger number, with a new seed each time; a failure prints its seed.
 */
const LONG_RUNS = Number(process.env.HISTORIES ?? 0);
const SETTINGS = LONG_RUNS > 0 ? { numRuns: LONG_RUNS } : { numRuns: 150, seed: 7 };

/** The keys of two accounts, the first of which has two. */
const ACCOUNTS = { first: 'a', renewed: 'a', stranger: 'b' } as const;
type Key = keyof typeof ACCOUNTS;
type Account = (typeof ACCOUNTS)[Key];

interface Video {
	id: string;
	projectId: string;
	url: string;
	createdAt: string;
}

type Step =
	| { kind: 'finish'; account: Account; projectId: string }
	| { kind: 'remove'; account: Account }
	| { kind: 'poll' | 'failing poll' | 'abandoned poll' | 'rolled back poll' | 'restart' }
	/** After a pause, n8n runs the polls that it has missed at once, or has at least prepared them at once. */
	| { kind: 'missed polls' | 'prepared polls' }
	/** The credential is edited. */
	| { kind: 'credential'; key: Key; writing: number }
	/** The node is edited, and the workflow is published again. */
	| { kind: 'rename'; name: string }
	| { kind: 'watch'; projectIds: string[] };

/** How people write a Base URL and a key. */
const WRITINGS: ((url: string, key: Key) => { baseUrl: string; apiKey: string })[] = [
	(baseUrl, apiKey) => ({ baseUrl, apiKey }),
	(url, apiKey) => ({ baseUrl: `${url}/`, apiKey }),
	(url, apiKey) => ({ baseUrl: ` ${url}/v1`, apiKey: `${apiKey}\n` }),
	(url, key) => ({ baseUrl: `${url.toUpperCase()}/v1//?x`, apiKey: `Bearer ${key}` }),
];

/** A service with two accounts. */
class Service {
	readonly logs: Record<Account, Video[]> = { a: [], b: [] };

	isFailing = false;

	private readonly server = http.createServer(({ headers }, response) => {
		const key = headers.authorization?.replace('Bearer ', '') as Key;
		const body = { status: 'success', message: '', videos: this.logs[ACCOUNTS[key]] };
		response.writeHead(this.isFailing ? 400 : 200, { 'content-type': 'application/json' });
		response.end(JSON.stringify(body));
	});

	get url(): string {
		return `http://localhost:${(this.server.address() as AddressInfo).port}`;
	}

	async start(): Promise<void> {
		await new Promise<void>((resolve) => this.server.listen(0, 'localhost', resolve));
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}
}

/** What the documents say that a trigger remembers. */
interface Memory {
	key: Key;
	seen: ReadonlySet<string>;
	watched: readonly string[];
	/** Another key, with which the account had no videos when it was first polled. */
	emptyKey?: Key;
}

/**
 * A trigger over time, compared with what the documents say: every video that finishes is emitted in the
 * next poll, and only once.
 *
 * Not drawn: dates, tags, forms of IDs and thousands of videos (unit/trigger/cursor.histories.test.ts), files
 * (slowStores.test.ts), entries that are completed later, polls that hang (trigger.test.ts), polls in another
 * process.
 */
class History {
	private count = 0;

	/** Both accounts number their videos from 1, so an ID alone tells neither account nor video. */
	private readonly numbers: Record<Account, number> = { a: 0, b: 0 };

	private key: Key = 'first';

	private projectIds: string[] = [];

	private memory: Memory | undefined;

	/** What n8n reads after a restart. */
	private saved: Memory | undefined;

	/** Whether the memory is that of the last poll. */
	private isContinuous = false;

	constructor(
		private readonly service: Service,
		private readonly trigger: ActiveTrigger,
		private readonly storage: Storage,
		private readonly emitExisting: boolean,
	) {}

	async take(step: Step): Promise<void> {
		const { service, trigger } = this;
		switch (step.kind) {
			case 'finish': {
				this.count += 1;
				this.numbers[step.account] += 1;
				const id = String(this.numbers[step.account]);
				const createdAt = new Date(Date.UTC(2026, 0, 15, 12, this.count)).toISOString();
				const { projectId } = step;
				service.logs[step.account].push({
					id,
					projectId,
					createdAt,
					url: `https://x.example/${step.account}/${id}`,
				});
				break;
			}
			case 'remove':
				service.logs[step.account].shift();
				break;
			case 'poll':
				this.check(await trigger.poll(), false);
				break;
			case 'missed polls': {
				const polls = [trigger.poll(), trigger.poll(), trigger.poll()];
				const items = (await Promise.all(polls)).flatMap((each) => each.items ?? []);
				this.check({ items }, false);
				break;
			}
			case 'prepared polls': {
				const first = trigger.poll();
				const results = [first, trigger.poll({ after: first }), trigger.poll({ after: first })];
				const items = (await Promise.all(results)).flatMap((each) => each.items ?? []);
				this.check({ items }, false);
				break;
			}
			case 'failing poll':
				service.isFailing = true;
				expect((await trigger.poll()).error).toHaveProperty('httpCode', '400');
				service.isFailing = false;
				break;
			case 'abandoned poll':
				// An older n8n abandons no poll.
				if (!hasFeature('durableCursors')) {
					this.check(await trigger.poll(), false);
					break;
				}
				await trigger.poll({ isAbandoned: true });
				passMinute();
				await this.restart();
				break;
			case 'rolled back poll':
				// Without durable cursors, nothing is rolled back.
				if (this.storage === 'static data') break;
				if (this.predict().urls.length > 0) await trigger.poll({ isRolledBack: true });
				passMinute();
				break;
			case 'restart':
				await this.restart();
				break;
			case 'credential':
				this.key = step.key;
				trigger.credentials = WRITINGS[step.writing]?.(service.url, step.key) ?? {};
				break;
			case 'rename':
				trigger.name = step.name;
				await this.restart();
				break;
			case 'watch':
				this.projectIds = step.projectIds;
				trigger.parameters = { ...trigger.parameters, projectIds: step.projectIds };
				await this.restart();
				break;
		}
	}

	/** Activates the workflow from the saved state, with which n8n polls at once. */
	async restart(): Promise<void> {
		this.memory = this.saved;
		this.isContinuous = this.storage === 'durable cursors';
		this.check(await this.trigger.activate(), true);
	}

	private check({ items }: PollResult, isActivation: boolean): void {
		const emitted = (items ?? []).map(({ json }) => json.url);
		const { urls, memory } = this.predict();
		expect(emitted).toEqual(urls);
		this.memory = memory;
		this.isContinuous = true;
		const isSaved = this.storage === 'durable cursors' || isActivation || urls.length > 0;
		if (isSaved) this.saved = memory;
	}

	/** Returns the addresses that the next poll must emit, and what it remembers. */
	private predict(): { urls: string[]; memory: Memory } {
		const { key, memory, projectIds } = this;
		const log = this.service.logs[ACCOUNTS[key]];
		const isWatched = ({ projectId }: Video) =>
			projectIds.length === 0 || projectIds.includes(projectId);
		// An empty list does not tell whether the key is that of another account.
		if (memory && memory.key !== key && log.length === 0) {
			return { urls: [], memory: { ...memory, emptyKey: key } };
		}
		const isSame = memory?.key === key || log.some(({ url }) => memory?.seen.has(url));
		const isKnownAccount = memory !== undefined && (isSame || memory.emptyKey === key);
		const seen = isSame && memory ? memory.seen : new Set<string>();
		// n8n has not saved which videos the last polls have seen of projects that were not watched.
		const wasWatched = ({ projectId }: Video) =>
			this.isContinuous || memory?.watched.length === 0 || memory?.watched.includes(projectId);
		const isEmitting = isKnownAccount || (memory === undefined && this.emitExisting);
		const isNew = (video: Video) =>
			!seen.has(video.url) &&
			isEmitting &&
			isWatched(video) &&
			(memory === undefined || wasWatched(video) === true);
		return {
			urls: log.filter(isNew).map(({ url }) => url),
			memory: {
				...(isSame && memory ? memory : {}),
				...{ key, watched: projectIds },
				seen: new Set([...seen, ...log.map(({ url }) => url)]),
			},
		};
	}
}

const PROJECTS = ['p', 'q'];
const account = fc.constantFrom<Account>('a', 'a', 'a', 'b');
const step: fc.Arbitrary<Step> = fc.oneof(
	{
		weight: 8,
		arbitrary: fc.record({
			kind: fc.constant('finish' as const),
			account,
			projectId: fc.constantFrom(...PROJECTS),
		}),
	},
	{ weight: 6, arbitrary: fc.constant({ kind: 'poll' as const }) },
	{ weight: 3, arbitrary: fc.constant({ kind: 'restart' as const }) },
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constantFrom(
				'missed polls' as const,
				'prepared polls' as const,
				'failing poll' as const,
				'abandoned poll' as const,
				'rolled back poll' as const,
			),
		}),
	},
	{ weight: 1, arbitrary: fc.record({ kind: fc.constant('remove' as const), account }) },
	{
		weight: 3,
		arbitrary: fc.record({
			kind: fc.constant('credential' as const),
			key: fc.constantFrom<Key>('first', 'first', 'renewed', 'stranger'),
			writing: fc.nat({ max: WRITINGS.length - 1 }),
		}),
	},
	{
		weight: 2,
		arbitrary: fc.record({
			kind: fc.constant('rename' as const),
			name: fc.constantFrom('Video Trigger', 'Renamed', 'toString'),
		}),
	},
	{
		weight: 1,
		arbitrary: fc.record({
			kind: fc.constant('watch' as const),
			projectIds: fc.subarray(PROJECTS),
		}),
	},
);

describe.each(STORAGES)('With the state in %s, whatever people edit and n8n does', (storage) => {
	test('every video is emitted once, in the next poll', async () => {
		await fc.assert(
			fc.asyncProperty(
				fc.nat({ max: 3 }),
				fc.boolean(),
				fc.array(step, { minLength: 1, maxLength: 25 }),
				async (existing, emitExisting, steps) => {
					const service = new Service();
					await service.start();
					try {
						const trigger = await ActiveTrigger.create({
							credentials: { baseUrl: service.url, apiKey: 'first' },
							storage,
							parameters: { options: { emitExisting } },
						});
						const history = new History(service, trigger, storage, emitExisting);
						for (let count = 0; count < existing; count++) {
							await history.take({ kind: 'finish', account: 'a', projectId: 'p' });
						}
						await history.restart();
						for (const each of [...steps, { kind: 'poll' as const }]) await history.take(each);
					} finally {
						await service.stop();
					}
				},
			),
			SETTINGS,
		);
	}, 3_600_000);
});
