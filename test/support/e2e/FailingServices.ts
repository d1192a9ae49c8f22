import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import { waitFor } from '../../../scripts/waitFor';
import { buildWorkflow, videoGenerationTrigger } from './buildWorkflow';
import type { RealN8n } from './RealN8n';
import { readItems } from './runContent';

/** Ways of being down: the status of all responses, none at all, or nobody who listens. */
const OUTAGES = [401, 503, 'hangs', 'refuses'] as const;
const DOWN_MS = 60_000;
/** A video starts its workflow this long after the service's return at the latest. */
const LATEST_MS = 120_000;
const TRIGGER = 'When a video is finished';

/** A list of videos behind a service that can be down. */
class FailingService {
	private readonly videos: object[] = [];
	private isDown = false;
	private port = 0;

	private readonly server = http.createServer((_request, response) => {
		const { outage, isDown, videos } = this;
		if (isDown && outage === 'hangs') return;
		response.writeHead(isDown ? Number(outage) : 200, { 'content-type': 'application/json' });
		response.end(JSON.stringify({ status: 'success', message: '', videos }));
	});

	constructor(readonly outage: (typeof OUTAGES)[number]) {}

	get url(): string {
		return `http://127.0.0.1:${this.port}`;
	}

	finish(id: string): void {
		const createdAt = new Date().toISOString();
		this.videos.push({ id, url: `${this.url}/${id}.mp4`, projectId: 'p', createdAt });
	}

	async start(): Promise<void> {
		this.isDown = false;
		if (this.server.listening) return;
		await once(this.server.listen(this.port, '127.0.0.1'), 'listening');
		this.port = (this.server.address() as AddressInfo).port;
	}

	stop(): void {
		this.isDown = true;
		if (this.outage === 'refuses') this.close();
	}

	close(): void {
		this.server.close();
		this.server.closeAllConnections();
	}
}

/** Four workflows that wait for videos of four services, each of which is down in a way of its own. */
export class FailingServices {
	private readonly services = OUTAGES.map((outage) => new FailingService(outage));
	private readonly workflowIds: string[] = [];

	/** Publishes the workflows: every service has an old video by then. */
	async publish({ client }: RealN8n): Promise<void> {
		for (const service of this.services) {
			await service.start();
			service.finish('old');
			const credential = await client.saveCredential({
				name: `Service that ${service.outage}`,
				type: 'videoGenerationApi',
				data: { apiKey: 'key', baseUrl: service.url },
			});
			const { parameters, ...step } = videoGenerationTrigger(TRIGGER, credential);
			const pollTimes = { item: [{ mode: 'everyMinute' }] };
			const steps = [{ ...step, parameters: { ...parameters, pollTimes } }];
			const workflow = await client.createWorkflow(buildWorkflow(credential.name, steps));
			await client.activateWorkflow(workflow);
			this.workflowIds.push(workflow.id);
			// Then n8n has saved what the first poll has seen.
			const path = `/workflows/${workflow.id}/publication-status`;
			const getStatus = async () => (await client.request<{ status: string }>('GET', path)).status;
			await waitFor('the first poll', async () => (await getStatus()) === 'published');
		}
	}

	/** A video finishes in each service, which then is down. */
	stop(): void {
		for (const service of this.services) {
			service.finish('new');
			service.stop();
		}
	}

	/** After a minute, the services return. */
	async returnAfter(startedAt: number): Promise<void> {
		await delay(Math.max(0, startedAt + DOWN_MS - Date.now()));
		for (const service of this.services) await service.start();
	}

	/** Returns the videos of each workflow's executions, once all have some. */
	async waitForVideos(n8n: RealN8n): Promise<unknown[]> {
		const list = async (id: string) =>
			(await n8n.listExecutions(id))
				.flatMap((execution) => readItems(execution, TRIGGER))
				.map(({ json }) => json.id);
		const listAll = async () => await Promise.all(this.workflowIds.map(list));
		const haveVideos = async () => (await listAll()).every((ids) => ids.length > 0);
		await waitFor('the videos', haveVideos, LATEST_MS);
		return await listAll();
	}

	close(): void {
		for (const service of this.services) service.close();
	}
}
