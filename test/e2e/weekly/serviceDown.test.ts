import { setTimeout as delay } from 'node:timers/promises';
import type { FaultSpec } from '../../../sandbox/faults/FaultSpec';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { startSandbox } from '../../../sandbox/startSandbox';
import { waitFor } from '../../../scripts/waitFor';
import { buildWorkflow, videoGenerationTrigger } from '../../support/e2e/buildWorkflow';
import { DURABLE_CURSORS, readItems, RealN8n, WITHOUT_EDITOR } from '../../support/e2e/RealN8n';

/** Ways of being down: the status of all responses, none at all, or nobody who listens. */
const OUTAGES: (FaultSpec | undefined)[] = [
	{ kind: 'status', status: 401 },
	{ kind: 'status', status: 503 },
	{ kind: 'hang' },
	undefined,
];
const OLD = { id: 'old' };
const NEW = { id: 'new' };
const DOWN_MS = 60_000;
/** A video starts its workflow this long after the service's return at the latest. */
const LATEST_MS = 120_000;

interface Service {
	outage: FaultSpec | undefined;
	sandbox: Sandbox;
	/** The workflow that waits for its videos. */
	workflowId: string;
}

/** Starts a service with an old video, and publishes a workflow that waits for its next ones. */
async function startService(n8n: RealN8n, outage: FaultSpec | undefined): Promise<Service> {
	const { client } = n8n;
	const sandbox = await startSandbox({ clock: 'real' });
	sandbox.addVideos('main', [OLD]);
	const credential = await n8n.connect(sandbox, sandbox.url);
	const { parameters, ...step } = videoGenerationTrigger('Trigger', credential);
	const pollTimes = { item: [{ mode: 'everyMinute' }] };
	const steps = [{ ...step, parameters: { ...parameters, pollTimes } }];
	const workflow = await client.createWorkflow(buildWorkflow(sandbox.url, steps));
	await client.activateWorkflow(workflow);
	// Then n8n has saved what the first poll has seen.
	const path = `/workflows/${workflow.id}/publication-status`;
	const getStatus = async () => (await client.request<{ status: string }>('GET', path)).status;
	await waitFor('the first poll', async () => (await getStatus()) === 'published');
	return { outage, sandbox, workflowId: workflow.id };
}

async function breakDown({ outage, sandbox }: Service): Promise<void> {
	if (outage) sandbox.addFault(outage);
	else await sandbox.close();
}

async function repair(service: Service): Promise<void> {
	service.sandbox.clearFaults();
	if (service.outage) return;
	const port = Number(new URL(service.sandbox.url).port);
	service.sandbox = await startSandbox({ clock: 'real', port });
	service.sandbox.addVideos('main', [OLD, NEW]);
}

test.concurrent.each([
	['keeps the state of triggers with their workflows', 'service-down', WITHOUT_EDITOR],
	['has durable cursors', 'service-down-durable', { ...WITHOUT_EDITOR, ...DURABLE_CURSORS }],
])(
	'Services that are down when n8n starts miss no video, if n8n %s',
	async (_how, name, settings) => {
		const n8n = new RealN8n(name, settings);
		await n8n.start();
		const services: Service[] = [];
		try {
			for (const outage of OUTAGES) services.push(await startService(n8n, outage));
			await n8n.stop();
			for (const service of services) {
				service.sandbox.addVideos('main', [NEW]);
				await breakDown(service);
			}
			await n8n.start();
			await delay(DOWN_MS);
			for (const service of services) await repair(service);
			const list = async ({ workflowId }: Service) =>
				(await n8n.listExecutions(workflowId))
					.flatMap((execution) => readItems(execution, 'Trigger'))
					.map(({ json }) => json.id);
			const listAll = async () => await Promise.all(services.map(list));
			const haveVideos = async () => (await listAll()).every((ids) => ids.length > 0);
			await waitFor('the videos', haveVideos, LATEST_MS);
			expect(await listAll()).toEqual(OUTAGES.map(() => [NEW.id]));
		} finally {
			await n8n.stop();
			for (const { sandbox } of services) await sandbox.close();
		}
	},
);
