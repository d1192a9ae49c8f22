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
