import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SandboxContext } from '../control/context';
import { ServiceError } from '../domain/model';
import { findVideoContent } from '../domain/queue';
import type { Settings } from '../domain/settings';
import { drawVideo } from '../files/drawVideo';
import { BOX_HEADER_BYTES, readVideoFile, streamPaddedVideo } from '../files/readVideoFile';

interface FileRequest {
	Params: { videoId: string };
	Querystring: { sizeBytes?: string };
}

const MAX_SIZE_BYTES = 4 * 1024 ** 3;
const FILE_QUERY = {
	type: 'object',
	properties: { sizeBytes: { type: 'string', pattern: '^[0-9]{1,10}$' } },
};

/** Returns the address of a video, with the host that the client used for this request. */
export function getVideoUrl(
	{ account, protocol, host, id }: FastifyRequest,
	{ videoId, queueId }: { videoId: string; queueId: string | undefined },
	{ signedUrls, entriesNameQueueId, numberByAccount }: Settings,
): string {
	const ofAccount = numberByAccount ? `of-${account.id}/` : '';
	const ofItem = entriesNameQueueId === 'address' && queueId !== undefined ? `${queueId}/` : '';
	const folder = ofAccount + ofItem;
	const signature = signedUrls ? `?signature=${id}` : '';
	return `${protocol}://${host}/files/${folder}${encodeURIComponent(videoId)}.mp4${signature}`;
}

/**
 * Registers GET /files/{videoId}.mp4, which serves finished videos without a key. `?sizeBytes=…`
 * serves the same video padded to that size.
 */
export function registerFileRoutes(app: FastifyInstance, context: SandboxContext): void {
	const options = {
		config: { operation: 'video.file' },
		schema: { querystring: FILE_QUERY },
	} as const;
	for (const folder of ['', ':folder/', ':account/:queueId/']) {
		const path = `/files/${folder}:videoId.mp4`;
		app.get<FileRequest>(path, options, async ({ params, query }, reply) => {
			const content = findVideoContent(context.store, params.videoId, context.clock.now());
			if (!content) throw new ServiceError(404, 'There is no such video');
			const sample = readVideoFile(content.picture);
			// Where the libraries that draw do not run, people see the sample.
			const video = context.store.settings.promptInVideos
				? await drawVideo(content).catch(() => sample)
				: sample;
			const sizeBytes = Number(query.sizeBytes ?? video.length);
			const isPadded = sizeBytes !== video.length;
			const minSizeBytes = video.length + BOX_HEADER_BYTES;
			if (sizeBytes > MAX_SIZE_BYTES || (isPadded && sizeBytes < minSizeBytes)) {
				throw new ServiceError(400, `sizeBytes: ${minSizeBytes} to ${MAX_SIZE_BYTES}`);
			}
			reply.header('content-type', 'video/mp4').header('content-length', sizeBytes);
			return reply.send(isPadded ? streamPaddedVideo(video, sizeBytes) : video);
		});
	}
}
