import type { FastifyInstance } from 'fastify';
import { listVideos } from '../domain/listVideos';
import type { SandboxContext } from '../control/SandboxContext';

/** GET /videos: all of them at once; the API has no paging and no filter. */
export function registerVideoRoutes(app: FastifyInstance, context: SandboxContext): void {
	app.get(
		'/videos',
		{ config: { operation: 'video.getAll', rateLimit: {} } },
		({ account, protocol, host }) => {
			const logs = listVideos(context.store, account, context.clock.now());
			return {
				status: 'success',
				message: logs.length === 0 ? 'No videos were found' : 'Videos retrieved',
				videos: logs.map((log) => ({
					id: log.id,
					// The host that this client knows the sandbox by: it may be another one than ours.
					url: log.url ?? `${protocol}://${host}/files/${encodeURIComponent(log.id)}.mp4`,
					projectId: log.projectId,
					createdAt: log.createdAt,
				})),
			};
		},
	);
}
