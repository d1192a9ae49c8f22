import type { FastifyInstance, FastifyRequest } from 'fastify';
import { listVideos } from '../domain/listVideos';
import type { SandboxContext } from '../control/SandboxContext';

/** At the host that this client knows the sandbox by: it may be another one than ours. */
export function formatVideoUrl({ protocol, host }: FastifyRequest, videoId: string): string {
	return `${protocol}://${host}/files/${encodeURIComponent(videoId)}.mp4`;
}

/** GET /videos: all of them at once; the API has no paging and no filter. */
export function registerVideoRoutes(app: FastifyInstance, context: SandboxContext): void {
	app.get('/videos', { config: { operation: 'video.getAll', rateLimit: {} } }, (request) => {
		const logs = listVideos(context.store, request.account, context.clock.now());
		return {
			status: 'success',
			message: logs.length === 0 ? 'No videos were found' : 'Videos retrieved',
			videos: logs.map((log) => ({
				id: log.id,
				url: log.url ?? formatVideoUrl(request, log.id),
				projectId: log.projectId,
				createdAt: log.createdAt,
			})),
		};
	});
}
