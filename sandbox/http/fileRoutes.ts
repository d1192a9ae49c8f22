import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify';
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
			exposeHeadRoute: true,
		},
		({ params, query, headers }, reply) => {
			const picture = findVideoPicture(context.store, params.videoId, context.clock.now());
			if (picture === undefined) throw new ServiceError('notFound', 'There is no such video');
			const video = readVideoFile(picture);
			const { videoSizeBytes } = context.store.settings;
			const sizeBytes = Number(query.sizeBytes ?? videoSizeBytes ?? video.length);
			const isPadded = sizeBytes !== video.length;
			if (sizeBytes > MAX_SIZE_BYTES || (isPadded && sizeBytes < video.length + 8)) {
				throw new ServiceError(
					'invalidInput',
					`sizeBytes: ${video.length + 8} to ${MAX_SIZE_BYTES}`,
				);
			}
			return sendVideo(reply, video, sizeBytes, headers.range);
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

/**
 * Parses a `Range` header with one range of bytes (RFC 9110, 14).
 *
 * @returns the first and the last byte, or `null` for the whole file and for ignorable forms
 */
export function parseRange(
	header: string | undefined,
	sizeBytes: number,
): { start: number; end: number } | 'unsatisfiable' | null {
	const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
	if (!match) return null;
	const [, first = '', last = ''] = match;
	if (first === '' && last === '') return null;
	if (first === '') {
		const count = Math.min(Number(last), sizeBytes);
		return count === 0 ? 'unsatisfiable' : { start: sizeBytes - count, end: sizeBytes - 1 };
	}
	const start = Number(first);
	const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
	if (last !== '' && Number(last) < start) return null;
	return start >= sizeBytes ? 'unsatisfiable' : { start, end };
}
