import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { SandboxContext } from '../control/context';
import { settleQueue } from '../domain/queue';
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
			const body = listVideos(context, request);
			if (request.record) request.record.listed = body.videos.length;
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
			projects: listProjects(context, account.id, query),
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

/** A service that caches the list sends the same body for a while. */
function listVideos({ clock, store }: SandboxContext, request: FastifyRequest) {
	const { listCache, settings, videos } = store;
	const now = clock.now();
	const { id: accountId } = request.account;
	const cached = listCache.get(accountId);
	const ageMs = now - (cached?.at ?? Infinity);
	if (cached && ageMs >= 0 && ageMs < settings.listCacheMs) return cached.body;
	settleQueue(store, now);
	// In the order of logging; the API promises no order.
	const logs = videos.get(accountId) ?? [];
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
}

function listProjects({ store }: SandboxContext, owner: string, { sort, order }: ProjectQuery) {
	const sign = order === 'asc' ? 1 : -1;
	return [...store.projects.values()]
		.filter(({ accountId }) => accountId === owner)
		.sort((a, b) => sign * (a[sort] - b[sort]) || (a.id < b.id ? -1 : 1))
		.map(({ id, name, createdAt, updatedAt }) => ({
			id,
			name,
			createdAt: new Date(createdAt).toISOString(),
			updatedAt: new Date(updatedAt).toISOString(),
		}));
}
