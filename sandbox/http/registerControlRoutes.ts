import type { FastifyInstance } from 'fastify';
import type { Controls } from '../control/createControls';
import type { SettingsChange } from '../control/SandboxSettings';
import type { Durations } from '../domain/Durations';
import type { Project } from '../domain/Project';
import { ServiceError } from '../domain/ServiceError';
import type { VideoLog } from '../domain/VideoLog';
import type { FaultSpec } from '../faults/FaultSpec';
import { CONTROL_SCHEMAS } from './CONTROL_SCHEMAS';
import type { SandboxContext } from '../control/SandboxContext';

interface Item {
	Params: { queueId: string };
}
interface OfAccount {
	Params: { account: string };
}

const DONE = { status: 'success' };

/** What `startSandbox` offers to the tests of one process, for all others: under `/_sandbox`. */
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
	app.patch<{ Body: SettingsChange }>(
		'/settings',
		{ schema: CONTROL_SCHEMAS.settings },
		({ body }) => {
			controls.configure(body);
			return controls.readState().settings;
		},
	);
	app.post<{ Body: { ms: number } }>(
		'/clock/advance',
		{ schema: CONTROL_SCHEMAS.advance },
		({ body }) => {
			context.clock.advance(body.ms);
			return controls.readState().clock;
		},
	);
	registerFaultRoutes(app, context, controls);
	registerQueueControlRoutes(app, controls);
	registerAccountControlRoutes(app, controls);
}

function registerFaultRoutes(
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

function registerQueueControlRoutes(app: FastifyInstance, controls: Controls): void {
	app.post<Item>('/queue/:queueId/finish', ({ params }) => {
		controls.finish(params.queueId);
		return DONE;
	});
	app.post<Item>('/queue/:queueId/fail', ({ params }) => {
		controls.fail(params.queueId);
		return DONE;
	});
	app.delete<Item>('/queue/:queueId', ({ params }) => {
		controls.removeQueueItem(params.queueId);
		return DONE;
	});
	app.patch<Item & { Body: { durations: Partial<Durations> } }>(
		'/queue/:queueId',
		{ schema: CONTROL_SCHEMAS.queueItem },
		({ params, body }) => {
			controls.changeQueueItem(params.queueId, body);
			return DONE;
		},
	);
}

function registerAccountControlRoutes(app: FastifyInstance, controls: Controls): void {
	app.patch<OfAccount & { Body: { credits: number } }>(
		'/accounts/:account',
		{ schema: CONTROL_SCHEMAS.account },
		({ params, body }) => {
			controls.setCredits(params.account, body.credits);
			return DONE;
		},
	);
	app.post<OfAccount & { Body: { videos: Partial<VideoLog>[] } }>(
		'/accounts/:account/videos',
		{ schema: CONTROL_SCHEMAS.videos },
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
		{ schema: CONTROL_SCHEMAS.projects },
		({ params, body }) => ({ projects: controls.addProjects(params.account, body.projects) }),
	);
	app.patch<{ Params: { projectId: string }; Body: Parameters<Controls['changeProject']>[1] }>(
		'/projects/:projectId',
		{ schema: CONTROL_SCHEMAS.project },
		({ params, body }) => {
			controls.changeProject(params.projectId, body);
			return DONE;
		},
	);
}
