import type * as Threads from 'node:worker_threads';
import { Worker } from 'node:worker_threads';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { drawVideo } from '../../../sandbox/files/drawVideo';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';
import { startSandbox } from '../../../sandbox/startSandbox';
import { createBareClient } from '../../support/sandbox/createBareClient';

const threads = jest.requireActual<typeof Threads>('node:worker_threads');
jest.mock('node:worker_threads', () => ({ Worker: jest.fn() }));

const TEASER = { name: 'Product teaser', picture: 'product-teaser' };
const SEA = { ...TEASER, prompt: 'The sea at dawn' };
const TRAIN = { ...TEASER, prompt: 'Ein Zug in der Nacht, 夜行列車 🚂' };
const SNOW = { ...TEASER, prompt: 'First snow' };

let sandbox: Sandbox;
beforeEach(async () => {
	jest.mocked(Worker).mockReset();
	jest.mocked(Worker).mockImplementation((...args) => new threads.Worker(...args));
	sandbox = await startSandbox({ promptInVideos: true });
});
afterEach(async () => {
	await sandbox.close();
});

/** Makes a video of the teaser project, and returns a function that downloads it. */
async function makeVideo(customPrompt: string) {
	const client = createBareClient(sandbox);
	await client.post('/v1/queue/add', { projectId: sandbox.projects.teaser.id, customPrompt });
	sandbox.clock.advance(8000);
	const path = `/files/${String(sandbox.charges[0]?.videoId)}.mp4`;
	return async () => (await client.get<Buffer>(path, { responseType: 'arraybuffer' })).data;
}

it('Each prompt has a video of its own, which is drawn once', async () => {
	const videos = [SEA, { ...SEA }, TRAIN].map(drawVideo);
	const [sea, seaAgain, train] = (await Promise.all(videos)) as [Buffer, Buffer, Buffer];
	expect(seaAgain.equals(sea)).toBe(true);
	expect(train.equals(sea)).toBe(false);
	expect(Worker).toHaveBeenCalledTimes(2);
});

it('A video shows the prompt that it was queued with', async () => {
	const download = await makeVideo(` ${SEA.prompt}\n`);
	expect((await download()).equals(await drawVideo(SEA))).toBe(true);
});

it('Other requests are answered while a video is drawn', async () => {
	const download = await makeVideo(SNOW.prompt);
	let isDrawn = false;
	const drawn = download().then(() => {
		isDrawn = true;
	});
	await sandbox.waitForRequests({ count: 1, operation: 'video.file' });
	for (let count = 0; count < 3; count += 1) {
		await createBareClient(sandbox).get('/v1/user/account');
	}
	expect(isDrawn).toBe(false);
	await drawn;
});

it('The sample of the project is served where the libraries that draw cannot be loaded', async () => {
	const warn = jest.spyOn(console, 'warn').mockReturnValue();
	const download = await makeVideo('A market in spring');
	jest
		.mocked(Worker)
		.mockImplementation(() => new threads.Worker('throw new Error("No canvas")', { eval: true }));
	expect((await download()).equals(readVideoFile('product-teaser'))).toBe(true);
	expect(warn).toHaveBeenCalledWith('A video does not show its prompt. Error: No canvas');
	warn.mockRestore();
});
