import { OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { hasFeature, testWith } from '../support/engine/testWith';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const project = (value: string) => ({ __rl: true, mode: 'id', value });

/** Returns the outputs of a run whose only item fails. */
async function failOne() {
	const queueId = '00000000-0000-4000-8000-000000000000';
	const { run } = await service.run(OPERATIONS['queue.getProgress'], {
		items: [{ queueId, row: 1 }],
		settings: { onError: 'continueErrorOutput' },
	});
	return run.data.resultData.runData['Video Generation']?.[0]?.data?.main;
}

describe('A failed item', () => {
	const error = 'The video service has no queue item with this ID';
	const message = expect.stringContaining("Check 'Queue ID'") as string;
	const details = expect.objectContaining({ httpCode: '404' }) as object;
	const input = { queueId: expect.any(String) as string, row: 1 };
	const pairedItem = { item: 0 };

	testWith('errorDetails', 'has its details beside its error', async () => {
		const json = { ...input, error, message, details };
		expect(await failOne()).toEqual([[], [{ json, pairedItem }]]);
	});

	(hasFeature('errorDetails') ? test.skip : test)(
		'has its details in its error before n8n 2.36, which takes it for a success otherwise',
		async () => {
			const json = { ...input, error: { message: error, details }, message };
			expect(await failOne()).toEqual([[], [{ json, pairedItem }]]);
		},
	);
});

describe('Every output item', () => {
	test('belongs to its own input item when 3 of them get 0, 2 and 5 videos', async () => {
		service.sandbox.addVideos('main', [
			...Array.from({ length: 2 }, () => ({ projectId: PROJECT })),
			...Array.from({ length: 5 }, () => ({ projectId: 'project-city-tour' })),
		]);
		const wanted = ['project-launch-film', PROJECT, 'project-city-tour'].map((id) => ({ id }));
		const { items, found } = await service.run(
			{ ...OPERATIONS['video.getAll'], filters: { projectId: project('={{ $json.id }}') } },
			{ items: wanted },
		);
		expect(items.map(({ pairedItem }) => pairedItem)).toEqual(
			[1, 1, 2, 2, 2, 2, 2].map((item) => ({ item })),
		);
		expect(found.items).toEqual([1, 1, 2, 2, 2, 2, 2].map((index) => wanted[index]));
		expect(items.map(({ json }) => json.projectId)).toEqual(
			found.items.map((item) => (item as { id: string }).id),
		);
	});

	test('of both branches can look back when 2 of 4 items fail: failed ones with what a repair needs', async () => {
		const queueIds = await service.queueVideos(4);
		service.sandbox.removeQueueItem(queueIds[1] ?? '');
		service.sandbox.addFault({
			kind: 'status',
			status: 418,
			message: 'Teapot',
			containing: queueIds[3] ?? '',
		});
		const input = queueIds.map((queueId, row) => ({ queueId, row }));
		const { items, errorItems, found, error } = await service.run(OPERATIONS['queue.getProgress'], {
			items: input,
			settings: { onError: 'continueErrorOutput' },
		});
		expect(error).toBeUndefined();
		expect(items.map(({ json }) => json.queueId)).toEqual([queueIds[0], queueIds[2]]);
		expect(found.items).toEqual([input[0], input[2]]);
		expect(found.errorItems).toEqual([input[1], input[3]]);
		expect(errorItems.map(({ json }) => json)).toEqual([
			{
				...input[1],
				error: 'The video service has no queue item with this ID',
				message: expect.stringContaining("Check 'Queue ID'") as string,
				details: {
					queueId: queueIds[1],
					httpCode: '404',
					serviceMessage: expect.any(String) as string,
					tries: 1,
				},
			},
			{
				...input[3],
				error: 'The video service rejected the request (418)',
				message: 'Check \'Queue ID\' of this item. The service said: "Teapot"',
				details: { queueId: queueIds[3], httpCode: '418', serviceMessage: 'Teapot', tries: 1 },
			},
		]);
	});

	test('on the regular output as well, when failed ones go on there', async () => {
		const [queueId = ''] = await service.queueVideos(1);
		const { items, found } = await service.run(OPERATIONS['queue.getProgress'], {
			items: [{ queueId: ' ' }, { queueId }],
			settings: { onError: 'continueRegularOutput' },
		});
		expect(items[0]).toEqual({
			json: {
				error: "'Queue ID' is empty",
				message: expect.stringMatching(/./) as string,
				details: {},
			},
			pairedItem: { item: 0 },
		});
		expect(items[1]?.json).toMatchObject({ queueId });
		expect(found.items).toEqual([{ queueId: ' ' }, { queueId }]);
	});
});
