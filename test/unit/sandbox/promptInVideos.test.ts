import type * as Threads from 'node:worker_threads';
import { Worker } from 'node:worker_threads';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';
import { useSandboxClient } from '../../support/sandbox/useSandboxClient';

const threads = jest.requireActual<typeof Threads>('node:worker_threads');
jest.mock('node:worker_threads', () => ({ Worker: jest.fn() }));

const service = useSandboxClient({ promptInVideos: true });
beforeEach(() => {
	jest.mocked(Worker).mockReset();
	jest.mocked(Worker).mockImplementation((...args) => new threads.Worker(...args));
});

/** Makes a video of the teaser project, and returns a function that downloads it. */
async function makeVideo(customPrompt: string) {
	const { sandbox, client } = service;
	await client.post('/v1/queue/add', { projectId: sandbox.projects.teaser.id, customPrompt });
	sandbox.clock.advance(8000);
	const path = `/files/${String(sandbox.charges.at(-1)?.videoId)}.mp4`;
	return async () => (await client.get<Buffer>(path, { responseType: 'arraybuffer' })).data;
}

test('A video shows its own prompt, is drawn once, and other requests are answered meanwhile', async () => {
	const download = await makeVideo('The sea at dawn');
	let isDrawn = false;
	const drawn = download().finally(() => {
		isDrawn = true;
	});
	await service.sandbox.waitForRequests({ count: 1, operation: 'video.file' });
	await service.getStatuses('/v1/user/account', '/v1/projects');
	expect(isDrawn).toBe(false);
	const sea = await drawn;
	expect((await (await makeVideo(' The sea at dawn\n'))()).equals(sea)).toBe(true);
	expect(Worker).toHaveBeenCalledTimes(1);
	const train = await (await makeVideo('Ein Zug in der Nacht, 夜行列車 🚂'))();
	expect(train.equals(sea)).toBe(false);
});

test('The sample of the project is served where the libraries that draw cannot be loaded', async () => {
	const warn = jest.spyOn(console, 'warn').mockReturnValue();
	const download = await makeVideo('A market in spring');
	jest
		.mocked(Worker)
		.mockImplementation(() => new threads.Worker('throw new Error("No canvas")', { eval: true }));
	expect((await download()).equals(readVideoFile('product-teaser'))).toBe(true);
	expect(warn).toHaveBeenCalledWith('A video does not show its prompt. Error: No canvas');
	warn.mockRestore();
});
