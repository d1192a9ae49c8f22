import type { FastifyInstance } from 'fastify';
import { addQueueItem } from '../domain/addQueueItem';
import { clearQueueItem } from '../domain/clearQueueItem';
import { findQueueItem } from '../domain/findQueueItem';
import type { QueueItemLife } from '../domain/QueueItemLife';
import { readLife } from '../domain/readLife';
import { ServiceError } from '../domain/ServiceError';
import type { SandboxContext } from '../control/SandboxContext';
import { formatVideoUrl } from './registerVideoRoutes';

interface AddBody {
	projectId: string;
	overwriteSettings?: boolean;
	customPrompt?: string | null;
}
interface QueueId {
	queueId: string | number;
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
const QUEUE_ID = {
	type: 'object',
	required: ['queueId'],
	properties: { queueId: { type: ['string', 'integer'] } },
};
/** The form of the sandbox's own ids: "Format and length of queueId: not shown". */
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const DIGITS = /^[0-9]{1,16}$/;

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
					queueId: formatQueueId(context, item.queueId),
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
		(request) => {
			const { account, params } = request;
			const now = clock.now();
			const item = findQueueItem(
				context.store,
				account,
				parseQueueId(context, params.queueId),
				now,
			);
			const videoUrl = formatVideoUrl(request, item.videoId);
			return {
				status: 'success',
				message: 'Queue progress retrieved',
				details: describeProgress(context, readLife(item, now), videoUrl),
			};
		},
	);

	app.post<{ Body: QueueId }>(
		'/queue/clear',
		{ config: { operation: 'queue.clear' }, schema: { body: QUEUE_ID } },
		({ account, body }) => {
			const queueId = parseQueueId(context, body.queueId);
			clearQueueItem(context.store, account, queueId, clock.now());
			return {
				status: 'success',
				message: 'Queue item cleared',
				queueId: formatQueueId(context, queueId),
			};
		},
	);
}

/** Digits are a queue id only where the sandbox is set to make such ids. */
function isNumeric({ settings }: SandboxContext, queueId: string): boolean {
	return settings.numericQueueIds && DIGITS.test(queueId);
}

function formatQueueId(context: SandboxContext, queueId: string): string | number {
	return isNumeric(context, queueId) ? Number(queueId) : queueId;
}

/** @throws ServiceError `invalidInput` */
function parseQueueId(context: SandboxContext, value: string | number): string {
	const queueId = String(value);
	if (isNumeric(context, queueId) || UUID.test(queueId)) return queueId;
	throw new ServiceError('invalidInput', 'Invalid queueId format');
}

function describeProgress(
	{ settings }: SandboxContext,
	{ status, generationProgress, renderProgress }: QueueItemLife,
	videoUrl: string,
): object {
	const words: Partial<Record<string, string>> = settings.statusWords;
	return {
		status: words[status] ?? status,
		generationProgress,
		renderProgress,
		...(settings.videoUrlInDetails && status === 'completed' ? { videoUrl } : {}),
	};
}
