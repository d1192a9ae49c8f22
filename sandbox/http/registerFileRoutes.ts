import type { FastifyInstance, FastifyReply } from 'fastify';
import { findVideoPicture } from '../domain/findVideoPicture';
import { ServiceError } from '../domain/ServiceError';
import { settleQueue } from '../domain/settleQueue';
import { parseRange } from '../files/parseRange';
import { readVideoFile } from '../files/readVideoFile';
import { streamPaddedVideo } from '../files/streamPaddedVideo';
import type { SandboxContext } from '../control/SandboxContext';

interface FileRequest {
	Params: { videoId: string };
	Querystring: { sizeBytes?: string };
}

const MAX_SIZE_BYTES = 4 * 1024 ** 3;
const FILE_QUERY = {
	type: 'object',
	properties: { sizeBytes: { type: 'string', pattern: '^[0-9]{1,10}$' } },
};

/**
 * GET /files/{videoId}.mp4: the finished videos, for anyone who has their address. With
 * `?sizeBytes=…` the same video, padded to that size.
 */
export function registerFileRoutes(app: FastifyInstance, context: SandboxContext): void {
	app.get<FileRequest>(
		'/files/:videoId.mp4',
		{
			config: { operation: 'video.file' },
			schema: { querystring: FILE_QUERY },
			exposeHeadRoute: true,
		},
		(request, reply) => {
			const { store, clock } = context;
			const now = clock.now();
			settleQueue(store, now);
			const picture = findVideoPicture(store, request.params.videoId, now);
			if (picture === undefined) throw new ServiceError('notFound', 'There is no such video');
			const video = readVideoFile(picture);
			const sizeBytes = Number(request.query.sizeBytes ?? video.length);
			if (
				sizeBytes > MAX_SIZE_BYTES ||
				(sizeBytes !== video.length && sizeBytes < video.length + 8)
			) {
				throw new ServiceError(
					'invalidInput',
					`sizeBytes: ${video.length + 8} to ${MAX_SIZE_BYTES}`,
				);
			}
			return sendVideo(reply, video, sizeBytes, request.headers.range);
		},
	);
}

function sendVideo(
	reply: FastifyReply,
	video: Buffer,
	sizeBytes: number,
	rangeHeader: string | undefined,
): FastifyReply {
	const range = parseRange(rangeHeader, sizeBytes);
	reply.header('accept-ranges', 'bytes');
	if (range === 'unsatisfiable') {
		reply.header('content-range', `bytes */${sizeBytes}`);
		return reply.code(416).send({ status: 'error', message: 'The range is outside of the video' });
	}
	const { start, end } = range ?? { start: 0, end: sizeBytes - 1 };
	if (range) reply.code(206).header('content-range', `bytes ${start}-${end}/${sizeBytes}`);
	reply.header('content-type', 'video/mp4').header('content-length', end - start + 1);
	if (sizeBytes === video.length) return reply.send(video.subarray(start, end + 1));
	return reply.send(streamPaddedVideo(video, sizeBytes, { start, end }));
}
