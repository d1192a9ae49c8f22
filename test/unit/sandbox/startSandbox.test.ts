import { startSandbox } from '../../../sandbox/startSandbox';
import { createBareClient } from '../../support/sandbox/createBareClient';

it('two sandboxes know nothing of each other', async () => {
	const [first, second] = [await startSandbox(), await startSandbox({ credits: 7, seed: 2 })];
	await createBareClient(first).get('/v1/videos');
	first.setCredits('main', 1);
	expect(first.url).not.toBe(second.url);
	expect(second.requests).toEqual([]);
	expect(second.readState().accounts[0]).toMatchObject({ credits: 7 });
	await Promise.all([first.close(), second.close()]);
});
it('starts with the options it is given, and comes back to them', async () => {
	const sandbox = await startSandbox({
		...{ credits: 3, startsAt: 0, latencyMs: 1, rateLimit: false },
		...{ durations: { pendingMs: 7 }, endedItemsLeaveAfterMs: 9, numericQueueIds: true },
	});
	const start = {
		clock: { kind: 'manual', now: '1970-01-01T00:00:00.000Z' },
		settings: {
			...{ latencyMs: 1, rateLimit: false, endedItemsLeaveAfterMs: 9, numericQueueIds: true },
			durations: { pendingMs: 7, processingMs: 4000 },
		},
		accounts: [{ credits: 3 }, {}, {}],
	};
	expect(sandbox.readState()).toMatchObject(start);
	sandbox.configure({
		latencyMs: 0,
		rateLimit: { max: 1, windowMs: 1 },
		endedItemsLeaveAfterMs: null,
		durations: { pendingMs: 8 },
		numericQueueIds: false,
	});
	sandbox.clock.advance(1);
	sandbox.reset();
	expect(sandbox.readState()).toMatchObject(start);
	await sandbox.close();
});
it('refuses a port that is taken', async () => {
	const sandbox = await startSandbox();
	await expect(startSandbox({ port: sandbox.port })).rejects.toMatchObject({
		...{ code: 'EADDRINUSE', port: sandbox.port },
	});
	await sandbox.close();
});
it('closes at once, whatever is still open', async () => {
	const sandbox = await startSandbox();
	const client = createBareClient(sandbox);
	sandbox.addFault({ kind: 'hang', times: 1 });
	sandbox.addFault({ kind: 'slowBody', pieceBytes: 1, delayMs: 60_000 });
	const open = [client.get('/v1/videos'), client.get('/v1/projects')].map((request) =>
		request.then(
			() => 'answered',
			() => 'broken',
		),
	);
	await sandbox.waitForRequests({ count: 2 });
	await sandbox.close();
	expect(await Promise.all(open)).toEqual(['broken', 'broken']);
	await expect(client.get('/v1/videos')).rejects.toMatchObject({ code: 'ECONNREFUSED' });
});
