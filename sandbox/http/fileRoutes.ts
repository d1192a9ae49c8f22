import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SandboxContext } from '../control/context';
import { findVideoPicture } from '../domain/lists';
import { ServiceError } from '../domain/model';
import { readVideoFile, streamPaddedVideo } from '../files/readVideoFile';

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
export function getVideoUrl({ protocol, host }: FastifyRequest, videoId: string): string {
	return `${protocol}://${host}/files/${encodeURIComponent(videoId)}.mp4`;
}

/**
 * Registers GET /files/{videoId}.mp4, which serves finished videos without a key. `?sizeBytes=…`
 * serves the same video padded to that size.
 */
export function registerFileRoutes(app: FastifyInstance, context: SandboxContext): void {
	app.get<FileRequest>(
		'/files/:videoId.mp4',
		{
			config: { operation: 'video.file' },
			schema: { querystring: FILE_QUERY },
		},
		({ params, query }, reply) => {
			const picture = findVideoPicture(context.store, params.videoId, context.clock.now());
			if (picture === undefined) throw new ServiceError('notFound', 'There is no such video');
			const video = readVideoFile(picture);
			const sizeBytes = Number(query.sizeBytes ?? video.length);
			const isPadded = sizeBytes !== video.length;
			if (sizeBytes > MAX_SIZE_BYTES || (isPadded && sizeBytes < video.length + 8)) {
				throw new ServiceError(
					'invalidInput',
					`sizeBytes: ${video.length + 8} to ${MAX_SIZE_BYTES}`,
				);
			}
			reply.header('content-type', 'video/mp4').header('content-length', sizeBytes);
			return reply.send(isPadded ? streamPaddedVideo(video, sizeBytes) : video);
		},
	);
}
