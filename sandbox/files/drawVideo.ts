import { once } from 'node:events';
import { join } from 'node:path';
import { Worker } from 'node:worker_threads';
import type { VideoContent } from '../domain/model';

/** The videos that were drawn, by their content. */
const videos = new Map<string, Promise<Buffer>>();
let last: Promise<unknown> = Promise.resolve();

/**
 * Returns an MP4 of two seconds that shows its own prompt. It is drawn when it is first requested,
 * in a thread: that takes a second of a processor. Several are drawn one after the other.
 *
 * @throws Error if the libraries that draw cannot be loaded on this machine
 */
export function drawVideo(content: VideoContent): Promise<Buffer> {
	const key = JSON.stringify(content);
	let video = videos.get(key);
	if (!video) {
		video = last.then(() => drawInThread(content));
		last = video.catch((error: unknown) => {
			console.warn(`A video does not show its prompt. ${String(error)}`);
		});
		videos.set(key, video);
	}
	return video;
}

async function drawInThread(content: VideoContent): Promise<Buffer> {
	const worker = new Worker(join(__dirname, 'drawingWorker.ts'), {
		workerData: content,
		// A thread does not inherit how this process loads TypeScript.
		execArgv: ['--require', 'tsx/cjs'],
	});
	const [video] = (await once(worker, 'message')) as [ArrayBuffer];
	return Buffer.from(video);
}
