import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A service in a separate process. A queue item is running at its first check and finished at its
 * second; the add of an item counts as its first check. Finished videos are in the video log, above
 * this many older videos.
 */
const olderVideos = Number(process.argv[2]);
/** The time zone in which dates are written. */
const zone = process.argv[3] ?? 'Z';
const project = process.argv[4] ?? 'one-project';
const START = Date.now();

const checks = new Map<string, number>();
const older = Array.from({ length: olderVideos }, (_, i) => createVideo(`older-${i}`, i * 61_234));
const finished: ReturnType<typeof createVideo>[] = [];
let added = 0;

function createVideo(id: string, ageMs: number) {
	return {
		id,
		url: `https://videos.example.com/files/${id}.mp4`,
		projectId: project,
		createdAt: new Date(START - ageMs).toISOString().replace('Z', zone),
	};
}

function answer({ method, url = '' }: IncomingMessage): object {
	if (url.endsWith('/queue/add')) {
		added += 1;
		const queueId = `queue-${added}`;
		checks.set(queueId, 1);
		const createdAt = new Date().toISOString();
		return { newQueueItem: { queueId, projectId: project, status: 'pending', createdAt } };
	}
	if (method === 'GET' && url.includes('/queue/progress/')) {
		const queueId = url.split('/').at(-1) ?? '';
		const check = (checks.get(queueId) ?? 0) + 1;
		checks.set(queueId, check);
		const video = createVideo(`of-${queueId}`, START - Date.now());
		if (check === 2) finished.push(video);
		const isFinished = check > 1;
		return {
			details: {
				status: isFinished ? 'completed' : 'rendering',
				renderProgress: 100,
				...(isFinished && /[02468]$/.test(queueId) ? { videoUrl: video.url } : {}),
			},
		};
	}
	return { videos: [...finished, ...older] };
}

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
	request.resume();
	request.on('end', () => {
		response.writeHead(200, { 'Content-Type': 'application/json' });
		response.end(JSON.stringify({ status: 'success', message: '', ...answer(request) }));
	});
});

server.listen(0, '127.0.0.1', () => {
	const { port } = server.address() as AddressInfo;
	process.send?.({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key-of-the-benchmark' });
});
process.once('disconnect', () => process.exit());
