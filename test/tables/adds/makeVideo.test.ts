import { makeVideos } from '../../../nodes/VideoGeneration/adds/makeVideo';
import { sendAdd, type VideoJob } from '../../../nodes/VideoGeneration/adds/sendAdd';
import { Run } from '../../../nodes/VideoGeneration/item/job';

jest.mock('../../../nodes/VideoGeneration/adds/sendAdd', () => ({ sendAdd: jest.fn() }));

afterEach(() => jest.restoreAllMocks());

/**
 * Adds a video, while another item ends the run so many steps of promises after n8n has read the saved execution, as for
 * each add of a run that began ten seconds ago. @returns whether the run had ended when it was sent; undefined if it was not
 */
async function addWhileRunEnds(steps: number) {
	const endAfter = (more: number) => {
		if (more === 0) run.end({} as VideoJob, new Error('The other item has failed'));
		else
			queueMicrotask(() => {
				endAfter(more - 1);
			});
	};
	const context = {
		continueOnFail: () => false,
		getExecuteData: () => ({}),
		getExecutionCancelSignal: () => undefined,
		getExecutionDataById: async () => {
			await Promise.resolve();
			endAfter(steps);
		},
		getExecutionId: () => '1',
		instanceSettings: { instanceType: 'worker' },
		getNode: () => ({ name: 'Video Generation', type: 'videoGeneration' }),
		getWorkflow: () => ({ id: 'w1' }),
		getWorkflowSettings: () => ({}),
	};
	const run = new Run(context as never);
	jest.spyOn(performance, 'now').mockReturnValue(run.startedAt + 10_000);
	const ledger = {
		isPaid: false,
		takeOverFate: () => undefined,
		findUnknownFate: () => undefined,
		state: { stage: 'new' },
	};
	const job = {
		...{ context, run, ledger, order: { body: {} } },
		open: async () => await Promise.resolve({ baseUrl: 'http://localhost', keyId: 1 }),
		api: { maxTries: 1, takeSlot: run.takeRequestSlot, signal: run.signal },
	};
	let isSentAfterEnd: boolean | undefined;
	jest.mocked(sendAdd).mockImplementation(async () => {
		isSentAfterEnd = run.signal.aborted;
		return await Promise.resolve({ queueItem: {}, sentAt: 0 });
	});
	await makeVideos([job as unknown as VideoJob]);
	return isSentAfterEnd;
}

test('No add is sent once another item has ended the run, also not while the saved execution is being read', async () => {
	const endings = new Set<boolean | undefined>();
	for (let steps = 0; steps < 30; steps++) endings.add(await addWhileRunEnds(steps));
	// Either it was sent before, or not at all.
	expect(endings).toEqual(new Set([undefined, false]));
});
