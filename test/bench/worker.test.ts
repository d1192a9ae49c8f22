import { execFileSync } from 'node:child_process';
import { waitFor } from '../../scripts/waitFor';
import { useQueueMode } from '../e2e/queueMode/useQueueMode';
import { buildCalledWorkflow, videoGeneration } from '../support/e2e/buildWorkflow';
import { byId, GENERATE } from '../support/engine/OPERATIONS';

const WAITS = 100;
/** The memory that a wait may take, in MiB. n8n keeps an isolate for the expressions of each execution. */
const LIMIT = 15;
const PATH = 'generate';
const ENDLESS = { pendingMs: 3_600_000 };
/** With the default Polling Interval, all of them take two minutes. */
const CHECKS = 24 * WAITS;
const TIMEOUT_MS = 600_000;

// The start of n8n counts, too.
jest.setTimeout(TIMEOUT_MS);

const queueMode = useQueueMode(
	{ name: 'bench-worker', workers: ['worker'], concurrency: WAITS, credits: WAITS },
	(credential) => {
		const parameters = { ...GENERATE, projectId: byId('={{ $json.body.project }}') };
		return [buildCalledWorkflow(PATH, [videoGeneration('Generate', credential, parameters)])];
	},
);

/** Returns the worker's resident memory in MiB. */
function readMemory(): number {
	const pid = String(queueMode.n8n.workers[0]?.pid);
	return Number(execFileSync('ps', ['-o', 'rss=', '-p', pid], { encoding: 'utf8' })) / 1024;
}

test('One worker holds many waits', async () => {
	const before = readMemory();
	for (let started = 0; started < WAITS; started++) {
		const [project] = queueMode.sandbox.addProjects('main', [{ durations: ENDLESS }]);
		await queueMode.startExecution(PATH, { project: project?.id });
	}
	let most = 0;
	const areChecked = () => {
		most = Math.max(most, readMemory());
		return queueMode.countRequests('queue.getProgress') >= CHECKS;
	};
	await waitFor('the progress checks', areChecked, TIMEOUT_MS);
	const taken = most - before;
	process.stdout.write(
		`${WAITS} executions that wait take ${Math.round(taken)} MiB of a worker, which had ${Math.round(before)} MiB\n`,
	);
	expect(queueMode.countRequests('queue.add')).toBe(WAITS);
	expect(taken / WAITS).toBeLessThan(LIMIT);
});
