import { GENERATE } from '../support/engine/OPERATIONS';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

test('A video is finished when an entry of the list names its queue ID, whatever its status is called', async () => {
	service.sandbox.configure({ entriesNameQueueId: 'field' });
	service.sandbox.addFault({
		kind: 'statusWord',
		word: 'archived',
		operation: 'queue.getProgress',
	});
	const parameters = { ...GENERATE, downloadVideo: false };
	const { items, error } = await runWithoutWaiting(() => service.run(parameters), service.sandbox);
	expect(error?.message).toBeUndefined();
	expect(items[0]?.json.video).toMatchObject({ queueId: items[0]?.json.queueId });
});

test('A queue ID that two entries name makes neither of them certain', async () => {
	const { sandbox } = service;
	sandbox.configure({ entriesNameQueueId: 'field' });
	const stop = sandbox.onRequest(({ operation }) => {
		const [{ queueId } = { queueId: '' }] = sandbox.charges;
		if (operation !== 'queue.getProgress') return;
		stop();
		sandbox.addVideos('main', [{ queueId }, { queueId }]);
	});
	const { items } = await runWithoutWaiting(() => service.run(GENERATE), sandbox);
	expect(items[0]?.json.video).toBeNull();
});
