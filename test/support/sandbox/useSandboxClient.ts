import type { AxiosInstance, AxiosResponse } from 'axios';
import type { SandboxOptions } from '../../../sandbox/control/context';
import type { VideoLog } from '../../../sandbox/domain/model';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { startSandbox } from '../../../sandbox/startSandbox';
import { createBareClient } from './createBareClient';

interface NewQueueItem {
	newQueueItem: { queueId: string; createdAt: string };
}

interface QueueProgress {
	details?: { status: string; videoUrl?: string };
}

export interface SandboxWithClient {
	sandbox: Sandbox;
	client: AxiosInstance;
	/** Queues a video of the teaser project, unless `body` says otherwise. */
	add(body?: object): Promise<AxiosResponse<NewQueueItem>>;
	/** @returns a queue ID */
	queue(projectId?: string): Promise<string>;
	getProgress(queueId: string): Promise<AxiosResponse<QueueProgress>>;
	/** Returns the status word of a queue item, or the HTTP status of an error. */
	getStatus(queueId: string): Promise<string | number>;
	listVideos(): Promise<VideoLog[]>;
	/** Returns the credits of the main account, without a request. */
	getCredits(): number | undefined;
}

/**
 * Starts a sandbox for all tests of a file, with a client for its main account. Each test begins
 * with a reset.
 *
 * @param createClient creates the client; by default, one that accepts every reply
 */
export function useSandboxClient(
	options: SandboxOptions = {},
	createClient: (sandbox: Sandbox) => AxiosInstance = createBareClient,
): SandboxWithClient {
	const held = {} as { sandbox: Sandbox; client: AxiosInstance };
	beforeAll(async () => {
		held.sandbox = await startSandbox(options);
		held.client = createClient(held.sandbox);
	});
	beforeEach(() => {
		held.sandbox.reset();
	});
	afterAll(async () => {
		await held.sandbox.close();
	});
	const add: SandboxWithClient['add'] = (body = { projectId: held.sandbox.projects.teaser.id }) =>
		held.client.post('/v1/queue/add', body);
	const getProgress: SandboxWithClient['getProgress'] = (queueId) =>
		held.client.get(`/v1/queue/progress/${queueId}`);
	return Object.assign(held, {
		add,
		queue: async (projectId: string = held.sandbox.projects.teaser.id) =>
			(await add({ projectId })).data.newQueueItem.queueId,
		getProgress,
		getStatus: async (queueId: string) => {
			const { data, status } = await getProgress(queueId);
			return data.details?.status ?? status;
		},
		listVideos: async () =>
			(await held.client.get<{ videos: VideoLog[] }>('/v1/videos')).data.videos,
		getCredits: () => held.sandbox.readState().accounts[0]?.credits,
	});
}
