import type { IDataObject } from 'n8n-workflow';
import type { Run } from '../../../nodes/VideoGeneration/item/job';
import { watchService } from '../../../nodes/VideoGeneration/waiting/watch';

const { signal } = new AbortController();

const KNOWN = { account: 1, queueId: 'a', projectId: '1', queuedAt: undefined, sentAt: undefined };

const OWN = { video: { id: 1, projectId: '1', url: 'own' } };

/** Watches a service of which n8n keeps that the item was given an entry. */
function openWatch(host: string) {
	const watch = watchService(host, { onClose: () => undefined } as unknown as Run);
	const keepOwner = (account: number) => {
		watch.keepOwner({ ...KNOWN, account }, { id: 1, projectId: '1' });
	};
	const read = async (account: number, url: string) => {
		const entries: IDataObject[] = [{ id: 1, projectId: '1', url }];
		const fetchList = async () => await Promise.resolve({ entries, parsedInMs: 0 });
		await watch.getList(account).read({ fetchList, signal });
	};
	keepOwner(KNOWN.account);
	return { watch, keepOwner, read };
}

test("An item is not given the entry of another account, though it has the ID and the project of the item's own", async () => {
	const { watch, read } = openWatch('https://api.example.com');
	const item = watch.track(KNOWN);
	await read(2, 'theirs');
	expect(item.own).toBeUndefined();
	await read(1, 'own');
	expect(item.own).toEqual(OWN);
});

test('An item keeps its own entry when another account waits in the execution that was given it', async () => {
	const { watch, keepOwner, read } = openWatch('https://other.example.com');
	keepOwner(2);
	const item = watch.track(KNOWN);
	await read(1, 'own');
	expect(item.own).toEqual(OWN);
});

describe('A queue ID that the service uses again', () => {
	const now = () => performance.now();
	const add = { ...KNOWN, sentAt: 1 };
	const open = (host: string) => {
		const watch = watchService(host, { onClose: () => undefined } as unknown as Run);
		const read = async (...entries: IDataObject[]) => {
			const fetchList = async () => await Promise.resolve({ entries, parsedInMs: 0 });
			await watch.getList(1).read({ fetchList, signal });
		};
		return { watch, read };
	};

	test('gives its next item nothing that was the own video of the item before', async () => {
		const { watch, read } = open('https://again.example.com');
		const first = watch.track(add);
		first.dueAt = now();
		await read(OWN.video);
		expect(first.own).toEqual(OWN);
		watch.release(first, false);
		const second = watch.track({ ...add, sentAt: now() });
		await read(OWN.video);
		expect(second.own).toBeUndefined();
	});

	test('gives its next item no entry that named the item before, which this process has forgotten', async () => {
		const { watch, read } = open('https://forgotten.example.com');
		const queueId = '0123456789abcdef';
		const old = { id: 1, projectId: '1', url: 'old', queueItem: queueId };
		const own = { ...old, id: 2, url: 'own' };
		await read(old);
		const item = watch.track({ ...KNOWN, queueId, sentAt: now() });
		await read(old);
		expect(item.own).toBeUndefined();
		await read(old, own);
		expect(item.own).toEqual({ video: own });
	});

	test('for an equal order while the item is still made is that of one item', () => {
		const { watch } = open('https://same.example.com');
		expect(watch.track({ ...add, sentAt: now() })).toBe(watch.track(add));
	});

	test('before the wait for the item before is over ends both waits', async () => {
		const { watch, read } = open('https://both.example.com');
		const first = watch.track(add);
		const second = watch.track({ ...add, projectId: '2', sentAt: now() });
		first.dueAt = second.dueAt = now();
		await read(OWN.video);
		expect(first.own).toEqual(OWN);
		expect(second.own).toEqual({ unidentified: { count: 0, projectId: '2' } });
		watch.release(first, false);
		expect(watch.track({ ...KNOWN, projectId: '2' })).toBe(second);
	});
});

test('A video that is known as an own one is not named by the service', async () => {
	const { watch, read } = openWatch('https://silent.example.com');
	const item = watch.track(KNOWN);
	await read(1, 'own');
	expect(item).toMatchObject({ own: OWN, isNamed: false });
	expect(watch.namesQueueIds).toBe(false);
});

test('A missing video of an unknown project has no video of another account mistrusted', async () => {
	const { watch } = openWatch('https://tenants.example.com');
	const theirs = { ...KNOWN, account: 2, queueId: 'b', projectId: undefined };
	const item = Object.assign(watch.track(theirs), {
		runningAt: 1,
		dueAt: 2,
		listingDelayMs: 1_000,
	});
	const fetchList = async () => await Promise.resolve({ entries: [], parsedInMs: 0 });
	await watch.getList(2).read({ fetchList, signal });
	expect(item.own).toEqual({ unidentified: { count: 0, projectId: undefined } });
	expect(watch.isMistrusted({ account: 2, projectId: '1' })).toBe(true);
	expect(watch.isMistrusted({ account: 1, projectId: '1' })).toBe(false);
});
