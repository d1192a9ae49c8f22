import type { IDataObject } from 'n8n-workflow';
import type { Service } from '../../../nodes/VideoGeneration/api/request';
import { getKeyVideos, KnownService } from '../../../nodes/VideoGeneration/waiting/accountVideos';
import type { Claim } from '../../../nodes/VideoGeneration/waiting/ownVideos';

const { signal } = new AbortController();

let hosts = 0;

/** A service of its own for each test, with the accounts that are asked for. */
function openService() {
	const baseUrl = `https://${(hosts += 1)}.example.com`;
	return (keyId: number) => {
		const service = { baseUrl, keyId } as Service;
		const videos = getKeyVideos(service);
		// Something is waited for, as in a busy process.
		const end = videos.begin();
		const read = async (...entries: IDataObject[]) => {
			const fetchList = async () => await Promise.resolve({ entries, parsedInMs: 0 });
			const reading = videos.list.read({ fetchList, signal });
			// Reads are a second apart.
			await jest.advanceTimersByTimeAsync(1_100);
			await reading;
		};
		const wait = (known: Partial<Parameters<typeof videos.claim>[0]> = {}) =>
			videos.claim({ queueId: 'a', projectId: '1', ...known }, 1_000);
		/** Ends these waits, and reads the list that settles them. */
		const settle = async (claims: Claim[], ...entries: IDataObject[]) => {
			for (const claim of claims) claim.dueAt = now();
			await read(...entries);
		};
		return { service, videos, end, read, settle, wait };
	};
}

/** Two keys of one service: they are of one account if their lists show the same entry. */
function openTwo() {
	const open = openService();
	return [open(1), open(2)] as const;
}

beforeEach(() => jest.useFakeTimers());

const now = () => performance.now();
const DATE = Date.parse('2026-01-01T00:00:00.000Z');
const LONG_ID = '0123456789abcdef';

const ENTRY = { id: 1, projectId: '1', url: 'own' };
const OWN = { video: ENTRY };
const NONE = { unidentified: { count: 0, projectId: '1' } };

test("An item is not given the entry of another account, though it has the ID and the project of the item's own", async () => {
	const [ours, theirs] = openTwo();
	for (const { videos } of [ours, theirs]) videos.noteOwner({ queueId: 'a' }, ENTRY);
	const claim = ours.wait();
	await theirs.read({ ...ENTRY, url: 'theirs' });
	expect(claim.own).toBeUndefined();
	await ours.read(ENTRY);
	expect(claim.own).toEqual(OWN);
});

test('An entry that another account has seen is new to an account that numbers its videos alike', async () => {
	const [ours, theirs] = openTwo();
	await theirs.read({ ...ENTRY, url: 'theirs' });
	const claim = ours.wait({ sentAt: now() });
	await ours.settle([claim], ENTRY);
	expect(claim.own).toEqual(OWN);
});

test('An entry that another key of the account has shown before the add is not the own one', async () => {
	const [ours, other] = openTwo();
	await other.read(ENTRY);
	const claim = ours.wait({ sentAt: now() });
	await ours.settle([claim], ENTRY);
	expect(claim.own).toEqual(NONE);
});

test('An item that two keys of the account have added in equal orders is one item, which both waits are given', async () => {
	const [ours, other] = openTwo();
	const waits = [ours, other].map(({ wait }) => wait({ queuedAt: DATE, sentAt: now() }));
	await ours.settle(waits, ENTRY);
	await other.read(ENTRY);
	expect(waits.map(({ own }) => own)).toEqual([OWN, OWN]);
	const later = [ours, other].map(({ wait }) => wait());
	await ours.read(ENTRY);
	await other.read(ENTRY);
	expect(later.map(({ own }) => own)).toEqual([OWN, OWN]);
});

test('An item that was added with another key of the account is the same item for both', async () => {
	const [ours, other] = openTwo();
	const added = other.wait({ queuedAt: DATE, sentAt: now() });
	await other.read(ENTRY);
	await ours.read(ENTRY);
	const wait = ours.wait({ queuedAt: DATE });
	await ours.settle([added, wait], ENTRY);
	expect([added.own, wait.own]).toEqual([OWN, OWN]);
});

test('An item that another key has added is given nothing that was listed before its add, though this key waits for it, too', async () => {
	const [ours, other] = openTwo();
	await other.read(ENTRY);
	const added = other.wait({ queuedAt: DATE, sentAt: now() });
	// It does not know the project.
	const wait = ours.wait({ queuedAt: DATE, projectId: undefined });
	await ours.read(ENTRY);
	await ours.settle([added, wait], ENTRY);
	expect([added.own, wait.own]).toEqual([NONE, NONE]);
});

test('An entry that an item of another key was given is not given to the next item, though nothing waits with that key', async () => {
	const [ours, other] = openTwo();
	const given = other.wait({ queuedAt: DATE, sentAt: now() });
	const claim = ours.wait({ queueId: 'b', queuedAt: DATE, sentAt: now() });
	await other.settle([given], ENTRY);
	other.videos.release(given, false);
	other.end();
	getKeyVideos(other.service);
	await ours.settle([claim], ENTRY);
	expect(claim.own).toEqual(NONE);
});

describe('A queue ID that the service uses again', () => {
	test('gives its next item nothing that was the own video of the item before', async () => {
		const { videos, read, settle, wait } = openService()(1);
		const first = wait({ sentAt: now() - 1 });
		await settle([first], ENTRY);
		expect(first.own).toEqual(OWN);
		videos.release(first, false);
		const second = wait({ sentAt: now() });
		await read(ENTRY);
		expect(second.own).toBeUndefined();
	});

	test('gives its next item an entry whose ID comes again as well, as its date shows', async () => {
		const open = openService();
		// Something is owed, so what lists have shown is known.
		const { videos: before, end: endBefore } = open(1);
		before.release(before.expect('1', now()), true);
		endBefore();
		const play = async (createdAt: string) => {
			const { videos, end, settle, wait } = open(1);
			const claim = wait({ queuedAt: Date.parse(createdAt) - 1_000, sentAt: now() });
			await settle([claim], { ...ENTRY, createdAt });
			const { own } = claim;
			videos.release(claim, false);
			end();
			return own;
		};
		expect(await play('2026-01-01T00:01:00Z')).toHaveProperty('video');
		expect(await play('2026-01-01T00:02:00Z')).toHaveProperty('video');
	});

	test('gives its next item no entry that named the item before, which this process has forgotten', async () => {
		const { read, wait } = openService()(1);
		const old = { id: 1, projectId: '1', url: 'old', queueItem: LONG_ID };
		const own = { ...old, id: 2, url: 'own' };
		await read(old);
		const claim = wait({ queueId: LONG_ID, sentAt: now() });
		await read(old);
		expect(claim.own).toBeUndefined();
		await read(old, own);
		expect(claim.own).toEqual({ video: own });
	});

	test('gives a retry of its next item no entry that is dated before the item', async () => {
		const { read, wait } = openService()(1);
		const list = (id: number, ms: number) => ({
			...{ id, projectId: '1', url: `${id}`, queueItem: LONG_ID },
			createdAt: new Date(DATE + ms).toISOString(),
		});
		const claim = wait({ queueId: LONG_ID, queuedAt: DATE });
		await read(list(1, -60_000));
		expect(claim.own).toBeUndefined();
		await read(list(1, -60_000), list(2, 60_000));
		expect(claim.own).toEqual({ video: list(2, 60_000) });
	});

	test('names a single entry whose date is of another clock once that must be listed', async () => {
		const { read, settle, wait } = openService()(1);
		const entry = { ...ENTRY, queueItem: LONG_ID, createdAt: '2025-12-31T15:00:00Z' };
		const claim = wait({ queueId: LONG_ID, queuedAt: DATE, sentAt: now() });
		await read(entry);
		expect(claim.own).toBeUndefined();
		await settle([claim], entry);
		expect(claim.own).toEqual({ video: entry });
	});

	test('for an equal order while the item is still made is that of one item, which both waits are given', async () => {
		const { settle, wait } = openService()(1);
		const both = [wait({ queuedAt: DATE, sentAt: now() }), wait({ queuedAt: DATE, sentAt: now() })];
		await settle(both, ENTRY);
		expect(both.map(({ own }) => own)).toEqual([OWN, OWN]);
	});

	test('ends the wait for the item before also where both were added elsewhere', () => {
		const { wait } = openService()(1);
		const [first, second] = [wait({ queuedAt: DATE }), wait({ queuedAt: DATE + 60_000 })];
		expect([first, second].map(({ item }) => item.isReplaced ?? false)).toEqual([true, false]);
	});

	test('before the wait for the item before is over ends both waits, of which the next one is given the video', async () => {
		const { settle, wait } = openService()(1);
		const first = wait({ queuedAt: DATE, sentAt: now() });
		const second = wait({ queuedAt: DATE + 60_000, sentAt: now() });
		expect([first, second].map(({ item }) => item.isReplaced)).toEqual([true, false]);
		expect(wait({ queuedAt: DATE - 60_000 }).item.isReplaced).toBe(true);
		first.hasLeft = true;
		await settle([first, second], ENTRY);
		expect(first.own).toHaveProperty('unidentified');
		expect(second.own).toEqual(OWN);
	});
});

test('A wait that takes the item for finished too early does not end another wait for it', async () => {
	const { settle, wait } = openService()(1);
	const [wrong, right] = [wait({ queuedAt: DATE }), wait({ queuedAt: DATE })];
	await settle([wrong]);
	expect(wrong.own).toHaveProperty('unidentified');
	expect(right.own).toBeUndefined();
	await settle([right], { ...ENTRY, createdAt: '2026-01-01T00:01:00Z' });
	expect(right.own).toHaveProperty('video');
});

test('A video that is known as an own one is not named by the service', async () => {
	const { videos, read, wait } = openService()(1);
	videos.noteOwner({ queueId: 'a' }, ENTRY);
	const claim = wait();
	await read(ENTRY);
	expect(claim).toMatchObject({ own: OWN, isNamed: false });
	expect(videos.knownService.namesQueueIds).toBe(false);
});

describe.each([
	['that project', '1'],
	['no project', undefined],
])('Another account that waits with %s for what this process has not added', (_, projectId) => {
	test('has no video of ours mistrusted if its own is missing', async () => {
		const [ours, theirs] = openTwo();
		const claim = theirs.wait({ queueId: 'b', projectId });
		Object.assign(claim, { runningAt: 1, dueAt: 2 });
		await theirs.read();
		expect(claim.own).toEqual({ unidentified: { count: 0, projectId } });
		expect(theirs.videos.isMistrusted('1')).toBe(true);
		expect(theirs.videos.isMistrusted('2')).toBe(projectId === undefined);
		expect(ours.videos.isMistrusted('1')).toBe(false);
	});

	test('takes no video from ours, which has left the queue', async () => {
		const [ours, theirs] = openTwo();
		theirs.wait({ queueId: 'b', projectId });
		await ours.read(ENTRY);
		const claim = ours.wait({ queuedAt: DATE, sentAt: now() });
		Object.assign(claim, { hasLeft: true, dueAt: now() });
		await ours.read(ENTRY, { ...ENTRY, id: 2 });
		expect(claim.own).toHaveProperty('video.id', 2);
	});
});

test('What another key has added in a project with that ID, which may be of the same account, counts', async () => {
	const [ours, theirs] = openTwo();
	const rival = theirs.wait({ queueId: 'b', sentAt: now() });
	const claim = ours.wait({ queuedAt: DATE, sentAt: now() });
	Object.assign(claim, { hasLeft: true, dueAt: now() });
	await ours.read(ENTRY);
	expect(claim.own).toEqual({ unidentified: { count: 1, projectId: '1' } });
	await theirs.settle([rival]);
	expect(ours.videos.isMistrusted('1')).toBe(true);
});

test('An entry that names an item is no other one’s of the same list', async () => {
	const { settle, wait } = openService()(1);
	const claims = [LONG_ID, 'b'].map((queueId) => wait({ queueId, sentAt: now() }));
	const entry = { ...ENTRY, queueItem: LONG_ID };
	await settle(claims, entry);
	expect(claims.map(({ own }) => own)).toEqual([{ video: entry }, NONE]);
});

test('News of another project show that a list is not cached, so an entry can be its item’s beside another one', async () => {
	const { read, wait } = openService()(1);
	const old = { ...ENTRY, id: 9, projectId: '2' };
	await read(old);
	const [claim] = ['a', 'b'].map((queueId) => wait({ queueId, queuedAt: DATE, sentAt: now() }));
	await jest.advanceTimersByTimeAsync(5_000);
	Object.assign(claim ?? {}, { runningAt: now(), dueAt: now() });
	await read(old, { ...ENTRY, createdAt: new Date(DATE + 1_000).toJSON() });
	expect(claim?.own).toHaveProperty('video.id', 1);
});

test('What one key of an account mistrusts, the other one does once a list has shown that it is of the same account', async () => {
	const [ours, other] = openTwo();
	const claim = other.wait({ queueId: 'b' });
	Object.assign(claim, { runningAt: 1, dueAt: 2 });
	await other.read({ ...ENTRY, projectId: '2' });
	ours.wait();
	expect(ours.videos.isMistrusted('1')).toBe(false);
	await ours.read({ ...ENTRY, projectId: '2' });
	expect(ours.videos.isMistrusted('1')).toBe(true);
});

test('A further miss of a project does not shorten the time for which it is mistrusted', async () => {
	const { videos, read } = openService()(1);
	for (const [queueId, listingDelayMs] of [
		['a', 60_000],
		['b', 0],
	] as const) {
		const ids = { queueId, projectId: '1', sentAt: now() };
		videos.claim(ids, listingDelayMs).dueAt = now() + 1;
	}
	await jest.advanceTimersByTimeAsync(1_000);
	await read();
	expect(videos.isMistrusted('1')).toBe(true);
});

test('A process that is never idle forgets a given entry half an hour after a list has shown it last', async () => {
	const { videos, read, settle, wait } = openService()(1);
	const given = wait({ queueId: 'b', queuedAt: DATE, sentAt: now() });
	await settle([given], ENTRY);
	expect(given.own).toEqual(OWN);
	videos.release(given, false);
	const isGiven = async (minutes: number) => {
		await jest.advanceTimersByTimeAsync(minutes * 60_000);
		await read();
		const claim = wait({ queuedAt: DATE });
		await settle([claim], ENTRY);
		const { own } = claim;
		videos.release(claim, false);
		return own !== undefined && 'video' in own;
	};
	expect(await isGiven(20)).toBe(false);
	expect(await isGiven(61)).toBe(true);
});

test('An item is forgotten half an hour after its video was owed last', async () => {
	const { videos, read, wait } = openService()(1);
	videos.release(wait({ queuedAt: DATE + 60_000 }), true);
	// It is owed for half an hour.
	await jest.advanceTimersByTimeAsync(61 * 60_000);
	await read();
	expect(wait({ queuedAt: DATE }).item.isReplaced).toBeUndefined();
});

test('Once nothing is waited for, what lists have shown is forgotten, but not whose an entry is', async () => {
	const { videos, end, settle, wait } = openService()(1);
	const other = { id: 2, projectId: '2', url: 'other' };
	const given = wait({ queuedAt: DATE, sentAt: now() });
	await settle([given], ENTRY, other);
	videos.release(given, false);
	end();
	videos.begin();
	const claims = ['1', '2'].map((projectId) =>
		wait({ queueId: 'b', projectId, queuedAt: DATE, sentAt: now() }),
	);
	await settle(claims, ENTRY, other);
	expect(claims.map(({ own }) => own)).toEqual([NONE, { video: other }]);
});

test('While something is waited for or owed, an entry that a list has shown stays known after its waits', async () => {
	const { videos, end, read, settle, wait } = openService()(1);
	videos.release(wait({ queueId: 'owed', projectId: '3', sentAt: now() }), true);
	await read(ENTRY);
	end();
	videos.begin();
	const claim = wait({ queueId: 'b', queuedAt: DATE, sentAt: now() });
	await settle([claim], ENTRY);
	expect(claim.own).toEqual(NONE);
});

const T = true;
const F = false;
test.each<[string, boolean[], boolean]>([
	['not before it has', [], false],
	['after it has told one', [T], true],
	['not after it has failed to', [T, F], false],
	['not when it tells now and then', [T, F, T, T, T, F, T, T, T, T], false],
	['again after four in a row', [T, F, T, T, T, T], true],
	['and after the next failure, after sixteen', [T, F, F, ...Array<boolean>(15).fill(T)], false],
	['which is the most', [F, F, F, F, ...Array<boolean>(16).fill(T)], true],
])('A service is expected to tell which video is whose %s', (_, told, expected) => {
	const service = new KnownService();
	for (const each of told) service.noteWhetherTold(each);
	expect(service.isTelling).toBe(expected);
});
