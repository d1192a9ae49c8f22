import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox({ credits: 1_000_000 });

/** How many executions there are, `npm run bench -- memory --executions 1000`. */
const EXECUTIONS = Number(process.env.EXECUTIONS ?? 10_000);

/** So many fill the caches of n8n, Node.js and jest. */
const WARM_UP = 500;

/** Executions of one run of the skipped clock. */
const PART = 50;

/** The memory that an execution may leave, in bytes. An empty object of a lane takes more. */
const LIMIT = 200;

setFlagsFromString('--expose-gc');
const collectGarbage = runInNewContext('gc') as () => void;

/** Two executions make videos of a new project at the same time, so that one of them waits for its turn. */
async function makeVideos(pair: number): Promise<void> {
	const { sandbox } = service;
	// The service has its memory in this process, too.
	sandbox.reset();
	const id = `project-${pair}`;
	sandbox.addProjects('main', [{ id }]);
	sandbox.configure({ durations: { pendingMs: 0, processingMs: 500, renderingMs: 0 } });
	const setup = service.setup({
		...{ resource: 'video', operation: 'generate', downloadVideo: false },
		projectId: { __rl: true, mode: 'id', value: id },
		waitOptions: { pollingInterval: 1, listingDelay: 1 },
	});
	const endings = await Promise.all([runNode(setup), runNode(setup)]);
	for (const { items } of endings) expect(items[0]?.json.video).toBeTruthy();
}

async function execute(count: number, from: number): Promise<void> {
	for (let at = 0; at < count / 2; at += PART / 2) {
		await runWithoutWaiting(async () => {
			for (let pair = at; pair < Math.min(at + PART / 2, count / 2); pair++) {
				await makeVideos(from + pair);
			}
		}, service.sandbox);
	}
}

function measureHeap(): number {
	for (let times = 0; times < 3; times++) collectGarbage();
	return process.memoryUsage().heapUsed;
}

test('Executions leave no memory', async () => {
	await execute(WARM_UP, 0);
	const before = measureHeap();
	await execute(EXECUTIONS, WARM_UP);
	const left = (measureHeap() - before) / EXECUTIONS;
	process.stdout.write(
		`${EXECUTIONS} executions, two at a time: ${Math.round(left)} bytes each are left, of ${Math.round(before / 2 ** 20)} MiB after the first ${WARM_UP} (limit ${LIMIT})\n`,
	);
	expect(left).toBeLessThan(LIMIT);
}, 3_600_000);
