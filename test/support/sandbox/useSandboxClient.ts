import axios, { type AxiosInstance } from 'axios';
import type { VideoLog } from '../../../sandbox/domain/model';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { startSandbox } from '../../../sandbox/startSandbox';

/** Creates an HTTP client for one account that accepts every reply, whatever its status. */
export function createClient(sandbox: Sandbox, apiKey: string = sandbox.apiKey): AxiosInstance {
	return axios.create({
		baseURL: sandbox.url,
		headers: { Authorization: `Bearer ${apiKey}` },
		maxRedirects: 0,
		proxy: false,
		validateStatus: () => true,
	});
}

/**
 * Starts a sandbox for all tests of a file, with a client for its main account. Each test begins
 * with a reset.
 */
export function useSandboxClient() {
	const held = {} as { sandbox: Sandbox; client: AxiosInstance };
	beforeAll(async () => {
		held.sandbox = await startSandbox();
		held.client = createClient(held.sandbox);
	});
	beforeEach(() => {
		held.sandbox.reset();
	});
	afterAll(async () => {
		await held.sandbox.close();
	});
	return Object.assign(held, {
		/** Queues a video. @returns its queue ID */
		queue: async () => {
			const projectId = held.sandbox.projects.teaser.id;
			const { data } = await held.client.post<{ newQueueItem: { queueId: string } }>(
				'/v1/queue/add',
				{ projectId },
			);
			return data.newQueueItem.queueId;
		},
		/** Returns the status word of a queue item, or the HTTP status of an error. */
		getStatus: async (queueId: string) => {
			const { data, status } = await held.client.get<{ details?: { status: string } }>(
				`/v1/queue/progress/${queueId}`,
			);
			return data.details?.status ?? status;
		},
		listVideos: async () =>
			(await held.client.get<{ videos: VideoLog[] }>('/v1/videos')).data.videos,
	});
}
