import type { FastifyInstance } from 'fastify';
import { addQueueItem } from '../domain/addQueueItem';
import { clearQueueItem } from '../domain/clearQueueItem';
import { findQueueItem } from '../domain/findQueueItem';
import { readLife } from '../domain/readLife';
import type { SandboxContext } from '../control/SandboxContext';

interface AddBody {
	projectId: string;
	overwriteSettings?: boolean;
	customPrompt?: string | null;
}
interface QueueId {
	queueId: string;
}

const ADD_BODY = {
	type: 'object',
	required: ['projectId'],
	properties: {
		projectId: { type: 'string' },
		overwriteSettings: { type: 'boolean' },
		customPrompt: { type: ['string', 'null'] },
	},
};
/** The form of the sandbox's own ids: "Format and length of queueId: not shown". */
const QUEUE_ID = {
	type: 'object',
	required: ['queueId'],
	properties: {
		queueId: {
			type: 'string',
			pattern: '^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$',
		},
	},
};

/** POST /queue/add, GET /queue/progress/{queueId} and POST /queue/clear. */
export function registerQueueRoutes(app: FastifyInstance, context: SandboxContext): void {
	const { clock } = context;

	app.post<{ Body: AddBody }>(
		'/queue/add',
		{ config: { operation: 'queue.add' }, schema: { body: ADD_BODY } },
		({ account, body }) => {
			const item = addQueueItem(context.store, account, body, clock.now());
			return {
				status: 'success',
				message: 'Video generation request added to the queue',
				newQueueItem: {
					queueId: item.queueId,
					projectId: item.projectId,
					status: 'pending',
					generationProgress: 0,
					renderProgress: 0,
					videoUrl: null,
					createdAt: new Date(item.createdAt).toISOString(),
				},
			};
		},
	);

	app.get<{ Params: QueueId }>(
		'/queue/progress/:queueId',
		{ config: { operation: 'queue.getProgress' }, schema: { params: QUEUE_ID } },
		({ account, params }) => {
			const now = clock.now();
			const item = findQueueItem(context.store, account, params.queueId, now);
			const { status, generationProgress, renderProgress } = readLife(item, now);
			return {
				status: 'success',
				message: 'Queue progress retrieved',
				details: { status, generationProgress, renderProgress },
			};
		},
	);

	app.post<{ Body: QueueId }>(
		'/queue/clear',
		{ config: { operation: 'queue.clear' }, schema: { body: QUEUE_ID } },
		({ account, body: { queueId } }) => {
			clearQueueItem(context.store, account, queueId, clock.now());
			return { status: 'success', message: 'Queue item cleared', queueId };
		},
	);
}
