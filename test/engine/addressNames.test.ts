import { ActiveTrigger } from '../support/engine/ActiveTrigger';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
useBinaryStore();

describe('A service whose log names the address of a video videoUrl', () => {
	beforeEach(() =>
		service.sandbox.addFault({
			...{ kind: 'renamedField', field: 'url', to: 'videoUrl', operation: 'video.getAll' },
		}),
	);
	const addVideo = () => {
		const [video] = service.sandbox.addVideos('main', [{}]);
		return { ...video, url: `${service.sandbox.url}/files/${String(video?.id)}.mp4` };
	};

	test('is listed with its url as well', async () => {
		const { id, url, projectId, createdAt } = addVideo();
		const { items } = await service.run(OPERATIONS['video.getAll']);
		expect(items[0]?.json).toEqual({ id, projectId, url, createdAt, videoUrl: url });
		expect(Object.keys(items[0]?.json ?? {}).slice(0, 3)).toEqual(['id', 'projectId', 'url']);
	});

	test('has its videos handed on by the trigger, with the file', async () => {
		const trigger = await ActiveTrigger.create({
			credentials: { baseUrl: service.sandbox.url, apiKey: service.sandbox.apiKey },
			storage: 'static data',
			parameters: { options: { downloadVideo: true } },
		});
		await trigger.activate();
		const { id, url } = addVideo();
		const { items } = await trigger.poll();
		expect(items?.[0]?.json).toMatchObject({ id, url });
		expect(items?.[0]?.binary?.data).toMatchObject({ mimeType: 'video/mp4' });
	});

	test('has its video found and downloaded by an add that waits', async () => {
		const setup = service.setup({
			...OPERATIONS['queue.add'],
			waitForCompletion: true,
			downloadVideo: true,
		});
		const { items, error } = await runWithoutWaiting(
			async () => await runNode(setup),
			service.sandbox,
		);
		expect(error).toBeUndefined();
		expect(items[0]?.json.videoUrl).toMatch(/\.mp4$/);
		expect(items[0]?.json.video).toHaveProperty('url', items[0]?.json.videoUrl);
		expect(items[0]?.binary?.data).toMatchObject({ mimeType: 'video/mp4' });
	});
});

test('An entry with both names keeps its own url', async () => {
	const videos = [{ id: 'a', url: 'https://a.example/1', videoUrl: 'https://a.example/2' }];
	const body = { status: 'success', videos };
	service.sandbox.addFault({ kind: 'status', status: 200, body, operation: 'video.getAll' });
	const { items } = await service.run(OPERATIONS['video.getAll']);
	expect(items[0]?.json).toMatchObject({ url: 'https://a.example/1' });
});
