import type { FastifyInstance } from 'fastify';
import { listProjects } from '../domain/listProjects';
import type { SandboxContext } from '../control/SandboxContext';

interface ListQuery {
	sort: 'updatedAt' | 'createdAt';
	order: 'asc' | 'desc';
}

const LIST_QUERY = {
	type: 'object',
	properties: {
		sort: { enum: ['updatedAt', 'createdAt'], default: 'updatedAt' },
		order: { enum: ['asc', 'desc'], default: 'desc' },
	},
};

/** GET /projects */
export function registerProjectRoutes(app: FastifyInstance, context: SandboxContext): void {
	app.get<{ Querystring: ListQuery }>(
		'/projects',
		{
			config: { operation: 'project.getAll', rateLimit: {}, etag: true },
			schema: { querystring: LIST_QUERY },
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
}
