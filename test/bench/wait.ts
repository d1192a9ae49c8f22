import { startSandbox } from '../../sandbox/startSandbox';
import { GENERATE } from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';

const ITEMS = 50;
const SHORTEST_SECONDS = 5;
const LONGEST_SECONDS = 20;
const INTERVAL_SECONDS = 2;

/**
 * Waits for 50 items whose videos take between 5 and 20 seconds, in one run of the node, in real
 * time. The minimum is the duration of the slowest video. The comparison is waiting for one video
 * after the other, as a loop of Wait and If nodes does: this takes at least the sum of all
 * durations.
 */
async function main(): Promise<void> {
	const sandbox = await startSandbox({ clock: 'real', credits: ITEMS, rateLimit: false });
	const seconds = Array.from(
		{ length: ITEMS },
		(_, i) => SHORTEST_SECONDS + (i * (LONGEST_SECONDS - SHORTEST_SECONDS)) / (ITEMS - 1),
	);
	const projects = sandbox.addProjects(
		'main',
		seconds.map((each) => ({
			durations: { pendingMs: 0, processingMs: each * 500, renderingMs: each * 500 },
		})),
	);
	const startedAt = performance.now();
	const { items, error } = await runNode({
		credentials: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
		parameters: { ...GENERATE, waitOptions: { pollingInterval: INTERVAL_SECONDS } },
		items: projects.map(({ id }) => ({ project: id })),
	});
	const tookSeconds = (performance.now() - startedAt) / 1000;
	const count = (operation: string) =>
		sandbox.requests.filter((request) => request.operation === operation).length;
	await sandbox.close();
	if (error) throw error;

	const matched = items.filter(({ json }) => json.video !== null).length;
	const sum = seconds.reduce((total, each) => total + each, 0);
	console.log(
		`Waiting for ${ITEMS} videos of ${SHORTEST_SECONDS} to ${LONGEST_SECONDS} s, a look every ${INTERVAL_SECONDS} s`,
	);
	console.log(
		`  took                         ${tookSeconds.toFixed(1)} s, ${matched} of ${ITEMS} with their video`,
	);
	console.log(`  of the slowest video         ${(tookSeconds / LONGEST_SECONDS).toFixed(2)} times`);
	console.log(
		`  of one after the other       ${(tookSeconds / sum).toFixed(3)} times (the sum is ${sum.toFixed(0)} s)`,
	);
	console.log(
		`  looks at the progress        ${(count('queue.getProgress') / ITEMS).toFixed(1)} for each item`,
	);
	console.log(`  reads of the video log       ${count('video.getAll')} for all of them`);
}

void main();
