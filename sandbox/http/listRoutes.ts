import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../control/context';
import { listProjects, listVideos } from '../domain/lists';
import { getVideoUrl } from './fileRoutes';

interface ProjectQuery {
	sort: 'updatedAt' | 'createdAt';
	order: 'asc' | 'desc';
}

const PROJECT_QUERY = {
	type: 'object',
	properties: {
		sort: { enum: ['updatedAt', 'createdAt'], default: 'updatedAt' },
		order: { enum: ['asc', 'desc'], default: 'desc' },
	},
};

/** Registers GET /videos, GET /projects and GET /user/account, the endpoints with a rate limit. */
export function registerListRoutes(app: FastifyInstance, context: SandboxContext): void {
	app.get(
		'/videos',
		{ config: { operation: 'video.getAll', rateLimit: {}, etag: true } },
		(request) => {
			const { listCache, settings } = context.store;
			const now = context.clock.now();
			const { id: accountId } = request.account;
			const cached = listCache.get(accountId);
			if (cached && now < cached.at + settings.listCacheMs) return cached.body;
			const logs = listVideos(context.store, request.account, now);
			const body = {
				status: 'success',
				message: logs.length === 0 ? 'No videos were found' : 'Videos retrieved',
				videos: logs.map(({ id, queueId, url, projectId, createdAt }) => ({
					id,
					...(settings.entriesNameQueueId === 'field' && { queueId }),
					url: url ?? getVideoUrl(request, { videoId: id, queueId }, settings),
					projectId,
					createdAt,
				})),
			};
			listCache.set(accountId, { at: now, body });
			return body;
		},
	);

	app.get<{ Querystring: ProjectQuery }>(
		'/projects',
		{
			config: { operation: 'project.getAll', rateLimit: {}, etag: true },
			schema: { querystring: PROJECT_QUERY },
		},
		({ account, query }) => ({
			status: 'success',
			message: 'Projects retrieved',
			projects: listProjects(context.store, account, query.sort, query.order).map((project) => ({
				id: project.id,
				name: project.name,
				createdAt: new Date(project.createdAt).toISOString(),
				updatedAt: new Date(project.updatedAt).toISOString(),
			})),
		}),
	);

	app.get(
		'/user/account',
		{ config: { operation: 'account.get', rateLimit: {} } },
		({ account, record }) => {
			const now = context.clock.now();
			return {
				status: 'success',
				statusCode: 200,
				name: account.name,
				email: account.email,
				usage: { remainingCredits: account.credits },
				requestCompletionTime: `${now - (record?.at ?? now)}ms`,
				timestamp: new Date(now).toISOString(),
			};
		},
	);
}
