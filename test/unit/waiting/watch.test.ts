import type { IDataObject } from 'n8n-workflow';
import type { Run } from '../../../nodes/VideoGeneration/item/job';
import { watchService } from '../../../nodes/VideoGeneration/waiting/watch';

const { signal } = new AbortController();

test("An item is not given the entry of another account, though it has the ID and the project of the item's own", async () => {
	const run = { onClose: () => undefined } as unknown as Run;
	const watch = watchService('https://api.example.com', run);
	const item = watch.track({
		...{ account: 1, queueId: 'a', projectId: '1', queuedAt: undefined, sentAt: undefined },
	});
	const read = async (account: number, url: string) => {
		const entries: IDataObject[] = [{ id: 1, projectId: '1', url }];
		const fetchList = async () => await Promise.resolve({ entries, parsedInMs: 0 });
		await watch.getList(account).read({ fetchList, signal });
	};
	watch.keepOwner(item, { id: 1, projectId: '1' });
	await read(2, 'theirs');
	expect(item.own).toBeUndefined();
	await read(1, 'own');
	expect(item.own).toEqual({ video: { id: 1, projectId: '1', url: 'own' } });
	watch.release(item, false);
});
