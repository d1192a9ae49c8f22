import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../control/context';
import type { Controls } from '../control/controls';
import { type Project, ServiceError, type VideoLog } from '../domain/model';
import { type Durations, ETAGS, type SettingsChange } from '../domain/settings';
import type { FaultSpec } from '../faults/FaultSpec';

interface OfItem {
	Params: { queueId: string };
}
interface OfAccount {
	Params: { account: string };
}

const DONE = { status: 'success' };

const MS = { type: 'number', minimum: 0 };
const TEXT = { type: 'string' };
const FLAG = { type: 'boolean' };
const COUNT = { type: 'integer', minimum: 0 };
const DURATIONS = object({
	...{ pendingMs: MS, processingMs: MS, renderingMs: MS, logDelayMs: { type: 'number' } },
});
const PROJECT = { name: TEXT, cost: COUNT, fails: FLAG, durations: DURATIONS };
const NEW_PROJECT = object({ ...PROJECT, id: TEXT, createdAt: COUNT, updatedAt: COUNT });
const VIDEO = object({
	...{ id: TEXT, projectId: TEXT, createdAt: TEXT },
	url: { type: ['string', 'null'] },
});
const RATE_LIMIT = object({ max: COUNT, windowMs: MS }, ['max', 'windowMs']);

const SCHEMAS = {
	settings: {
		body: object({
			latencyMs: MS,
			rateLimit: { anyOf: [{ const: false }, RATE_LIMIT] },
			etags: { enum: ETAGS },
			durations: DURATIONS,
			endedItemsLeaveAfterMs: { anyOf: [MS, { type: 'null' }] },
			maxAtOnce: { anyOf: [{ type: 'integer', minimum: 1 }, { type: 'null' }] },
			numericQueueIds: { enum: [true, false, 'long'] },
			logClockSkewMs: { type: 'number' },
			logWholeSeconds: FLAG,
			videoUrlInDetails: FLAG,
			signedUrls: FLAG,
			entriesNameQueueId: { enum: [false, 'field', 'address'] },
			videoSizeBytes: { anyOf: [COUNT, { type: 'null' }] },
		}),
	},
	advance: { body: object({ ms: MS }, ['ms']) },
	queueItem: { body: object({ durations: DURATIONS }, ['durations']) },
	account: { body: object({ credits: COUNT }, ['credits']) },
	videos: { body: object({ videos: { type: 'array', items: VIDEO } }, ['videos']) },
	project: { body: object(PROJECT) },
	projects: { body: object({ projects: { type: 'array', items: NEW_PROJECT } }, ['projects']) },
};

/** Returns a schema that refuses unknown fields: a misspelt field would silently have no effect. */
function object(properties: Record<string, object>, required: string[] = []): object {
	return { type: 'object', properties, required, additionalProperties: false };
}

/** Offers the controls of `startSandbox` to other processes, under `/_sandbox`. */
export function registerControlRoutes(
	app: FastifyInstance,
	context: SandboxContext,
	controls: Controls,
): void {
	app.get('/state', () => controls.readState());
	app.get('/requests', () => ({ requests: context.requests.list() }));
	app.delete('/requests', () => {
		controls.clearRequests();
		return DONE;
	});
	app.post('/reset', () => {
		controls.reset();
		return DONE;
	});
	app.patch<{ Body: SettingsChange }>('/settings', { schema: SCHEMAS.settings }, ({ body }) => {
		controls.configure(body);
		return controls.readState().settings;
	});
	app.post<{ Body: { ms: number } }>('/clock/advance', { schema: SCHEMAS.advance }, ({ body }) => {
		context.clock.advance(body.ms);
		return controls.readState().clock;
	});
	registerFaultControls(app, context, controls);
	registerQueueControls(app, controls);
	registerAccountControls(app, controls);
}

function registerFaultControls(
	app: FastifyInstance,
	context: SandboxContext,
	controls: Controls,
): void {
	app.get('/faults', () => ({ faults: context.faults.list() }));
	app.post<{ Body: FaultSpec }>('/faults', ({ body }) => {
		try {
			return { id: controls.addFault(body) };
		} catch (error) {
			throw new ServiceError('invalidInput', (error as Error).message);
		}
	});
	app.delete('/faults', () => {
		controls.clearFaults();
		return DONE;
	});
	app.delete<{ Params: { id: string } }>('/faults/:id', ({ params }) => {
		controls.removeFault(Number(params.id));
		return DONE;
	});
}

function registerQueueControls(app: FastifyInstance, controls: Controls): void {
	app.post<OfItem>('/queue/:queueId/finish', ({ params }) => {
		controls.finish(params.queueId);
		return DONE;
	});
	app.post<OfItem>('/queue/:queueId/fail', ({ params }) => {
		controls.fail(params.queueId);
		return DONE;
	});
	app.delete<OfItem>('/queue/:queueId', ({ params }) => {
		controls.removeQueueItem(params.queueId);
		return DONE;
	});
	app.patch<OfItem & { Body: { durations: Partial<Durations> } }>(
		'/queue/:queueId',
		{ schema: SCHEMAS.queueItem },
		({ params, body }) => {
			controls.changeQueueItem(params.queueId, body);
			return DONE;
		},
	);
}

function registerAccountControls(app: FastifyInstance, controls: Controls): void {
	app.patch<OfAccount & { Body: { credits: number } }>(
		'/accounts/:account',
		{ schema: SCHEMAS.account },
		({ params, body }) => {
			controls.setCredits(params.account, body.credits);
			return DONE;
		},
	);
	app.post<OfAccount & { Body: { videos: Partial<VideoLog>[] } }>(
		'/accounts/:account/videos',
		{ schema: SCHEMAS.videos },
		({ params, body }) => ({ videos: controls.addVideos(params.account, body.videos) }),
	);
	app.delete<OfAccount & { Body: { ids?: string[] } | undefined }>(
		'/accounts/:account/videos',
		({ params, body }) => {
			controls.removeVideos(params.account, body?.ids);
			return DONE;
		},
	);
	app.post<OfAccount & { Body: { projects: Partial<Project>[] } }>(
		'/accounts/:account/projects',
		{ schema: SCHEMAS.projects },
		({ params, body }) => ({ projects: controls.addProjects(params.account, body.projects) }),
	);
	app.patch<{ Params: { projectId: string }; Body: Parameters<Controls['changeProject']>[1] }>(
		'/projects/:projectId',
		{ schema: SCHEMAS.project },
		({ params, body }) => {
			controls.changeProject(params.projectId, body);
			return DONE;
		},
	);
}
