import { makeVideos } from '../../../nodes/VideoGeneration/adds/makeVideo';
import { sendAdd, type VideoJob } from '../../../nodes/VideoGeneration/adds/sendAdd';
import { Run } from '../../../nodes/VideoGeneration/item/job';

jest.mock('../../../nodes/VideoGeneration/adds/sendAdd', () => ({ sendAdd: jest.fn() }));

afterEach(() => jest.restoreAllMocks());

/** A run of an execution, which n8n has saved as it returns it. The run began ten seconds ago. */
function startRun(getExecutionDataById: () => Promise<unknown>) {
	const context = {
		continueOnFail: () => false,
		getExecuteData: () => ({}),
		getExecutionCancelSignal: () => undefined,
		getExecutionDataById,
		getExecutionId: () => '1',
		instanceSettings: { instanceType: 'worker' },
		getNode: () => ({ name: 'Video Generation', type: 'videoGeneration' }),
		getWorkflow: () => ({ id: 'w1' }),
		getWorkflowSettings: () => ({}),
	};
	const run = new Run(context as never);
	jest.spyOn(performance, 'now').mockReturnValue(run.startedAt + 10_000);
	const addVideo = async () => {
		const job = {
			context,
			run,
			order: { body: {} },
			ledger: {
				isPaid: false,
				takeOverFate: () => undefined,
				findUnknownFate: () => undefined,
				state: { stage: 'new' },
			},
			open: async () => await Promise.resolve({ baseUrl: 'http://localhost', keyId: 1 }),
			api: { maxTries: 1, takeSlot: run.takeRequestSlot, signal: run.signal },
		};
		await makeVideos([job as unknown as VideoJob]);
	};
	return { run, addVideo };
}

/** Adds a video, while another item ends the run so many steps of promises after n8n has read the saved execution. */
async function addWhileRunEnds(steps: number) {
	const { run, addVideo } = startRun(async () => {
		await Promise.resolve();
		const failed = {} as VideoJob;
		let end = () => {
			run.end(failed, new Error('The other item has failed'));
		};
		for (let i = 0; i < steps; i++) {
			const next = end;
			end = () => {
				queueMicrotask(next);
			};
		}
		end();
	});
	let isSentAfterEnd: boolean | undefined;
	jest.mocked(sendAdd).mockImplementation(async () => {
		isSentAfterEnd = run.signal.aborted;
		return await Promise.resolve({ queueItem: {}, sentAt: 0 });
	});
	await addVideo();
	return isSentAfterEnd;
}

test('No add is sent once another item has ended the run, also not while the saved execution is being read', async () => {
	const endings = new Set<boolean | undefined>();
	for (let steps = 0; steps < 30; steps++) endings.add(await addWhileRunEnds(steps));
	// Either it was sent before, or not at all.
	expect(endings).toEqual(new Set([undefined, false]));
});
