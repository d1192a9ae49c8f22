import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../control/context';
import { getItemState } from '../domain/lifeCycle';
import { type QueueItem, ServiceError } from '../domain/model';
import { addQueueItem, clearQueueItem, getQueueItem, type NewQueueItem } from '../domain/queue';
import type { Settings } from '../domain/settings';
import type { Store } from '../domain/store';
import { getVideoUrl } from './fileRoutes';

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
	properties: { queueId: { anyOf: [{ type: 'string' }, { type: 'integer' }] } },
};
const JSON_TYPE = 'application/json; charset=utf-8';
const UUID = /^[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}$/;
const DIGITS = /^[0-9]{1,19}$/;

/** Registers POST /queue/add, GET /queue/progress/{queueId} and POST /queue/clear. */
export function registerQueueRoutes(app: FastifyInstance, context: SandboxContext): void {
	app.post<{ Body: NewQueueItem }>(
		'/queue/add',
		{ config: { operation: 'queue.add' }, schema: { body: ADD_BODY } },
		({ account, body, record }, reply) => {
			const { store, clock } = context;
			const item = addQueueItem(store, account, body, clock.now());
			if (record) Object.assign(record, { queueId: item.queueId, videoId: item.videoId });
			// An item that an earlier order has queued may be in the making.
			const isNew = item.createdAt === clock.now();
			const { status, generationProgress, renderProgress } = getItemState(item, clock.now());
			const progress = isNew
				? { status: 'pending', generationProgress: 0, renderProgress: 0 }
				: { status, generationProgress, renderProgress };
			reply.type(JSON_TYPE).serializer(stringifyWithQueueId);
			return {
				status: 'success',
				message: 'Video generation request added to the queue',
				newQueueItem: {
					queueId: item.queueId,
					projectId: item.projectId,
					...progress,
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
			const { store, clock } = context;
			const queueId = parseQueueId(request.params.queueId, store.settings);
			const item = getQueueItem(store, request.account, queueId, clock.now());
			const { endedAt, ...progress } = getItemState(item, clock.now());

			const isDue = endedAt !== null && clock.now() >= endedAt + item.durations.urlDelayMs;
			const tells = isDue && progress.status === 'completed' && tellsVideoUrl(store, item);
			const videoUrl = tells ? getVideoUrl(request, item, store.settings) : undefined;
			const details = { ...progress, videoUrl };
			if (request.record) Object.assign(request.record, { videoId: item.videoId, details });
			return { status: 'success', message: 'Queue progress retrieved', details };
		},
	);

	app.post<{ Body: QueueId }>(
		'/queue/clear',
		{ config: { operation: 'queue.clear' }, schema: { body: QUEUE_ID } },
		({ account, body, record }, reply) => {
			const { store, clock } = context;
			const queueId = parseQueueId(body.queueId, store.settings);
			clearQueueItem(store, getQueueItem(store, account, queueId, clock.now()), clock.now());
			if (record) record.queueId = queueId;
			reply.type(JSON_TYPE).serializer(stringifyWithQueueId);
			return { status: 'success', message: 'Queue item cleared', queueId };
		},
	);
}

/** Whether the progress of an item tells the address of its video. */
function tellsVideoUrl({ charges, settings }: Store, item: QueueItem): boolean {
	const { videoUrlInDetails } = settings;
	if (typeof videoUrlInDetails === 'boolean') return videoUrlInDetails;
	const { accountId, videoId } = item;
	const index = charges.findIndex(
		(charge) => charge.videoId === videoId && charge.accountId === accountId,
	);
	return videoUrlInDetails === 'everyOther' ? index % 2 === 0 : index < videoUrlInDetails;
}

/** Writes a queue id of digits as a JSON number with all its digits; JavaScript has no such number. */
function stringifyWithQueueId(payload: unknown): string {
	return JSON.stringify(payload).replace(/"queueId":"(\d+)"/, '"queueId":$1');
}

/**
 * Accepts only the sandbox's own format ("Format and length of queueId: not shown").
 *
 * @throws ServiceError 400
 */
function parseQueueId(value: string | number, { numericQueueIds }: Settings): string {
	const queueId = String(value);
	const isNumber = numericQueueIds !== false && DIGITS.test(queueId);
	if (!isNumber && !UUID.test(queueId)) throw new ServiceError(400, 'Invalid queueId format');
	return queueId;
}
