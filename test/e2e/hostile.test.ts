import axios from 'axios';
import type { IDataObject } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { API_OPERATIONS, OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import {
	buildWorkflow,
	START,
	videoGeneration,
	type WorkflowStep,
} from '../support/e2e/buildWorkflow';
import { PeakMemory } from '../support/e2e/PeakMemory';
import { readItems, runContent } from '../support/e2e/runContent';
import { WITHOUT_EDITOR } from '../support/e2e/RealN8n';
import { useRealN8n } from '../support/e2e/useRealN8n';

const real = useRealN8n('hostile', { environment: WITHOUT_EDITOR });
/**
 * Maximum memory: the largest accepted list has 256 MiB, and is in memory more than once for a
 * moment.
 */
const MOST_MIB = 1_024;
const CONTINUE = { onError: 'continueRegularOutput' };

/**
 * Builds all operations that call the service, one after the other; each runs even if the one
 * before fails.
 *
 * @param timeout timeout of each response (milliseconds); the node's own by default
 */
function buildAllOperations(queueId: string, timeout?: number): WorkflowStep[] {
	return API_OPERATIONS.map((operation) => {
		const parameters: IDataObject = {
			...OPERATIONS[operation],
			...('queueId' in OPERATIONS[operation] ? { queueId } : {}),
			options: { maxTries: 1 },
			...(timeout === undefined ? {} : { requestOptions: { timeout } }),
		};
		return videoGeneration(operation, real.credential, parameters, CONTINUE);
	});
}

/**
 * Queues an item, so that requests for it are valid and only the response is the reason of a
 * refusal.
 */
async function queueOne(): Promise<string> {
	const { url, apiKey } = real.sandbox;
	const { data } = await axios.post<{ newQueueItem: { queueId: string } }>(
		`${url}/v1/queue/add`,
		{ projectId: PROJECT },
		{ headers: { Authorization: `Bearer ${apiKey}` }, proxy: false },
	);
	real.sandbox.clearRequests();
	return data.newQueueItem.queueId;
}

/** Repeats a small request to n8n until the work is done. @returns the number of responses */
async function countAnswersDuring(work: Promise<unknown>): Promise<number> {
	const progress = { isOver: false };
	const end = () => {
		progress.isOver = true;
	};
	work.then(end, end);
	let answers = 0;
	while (!progress.isOver) {
		await real.client.request('GET', '/login');
		answers += 1;
	}
	return answers;
}

describe('A service that means harm, in a real n8n,', () => {
	test.each<[string, { fault: FaultSpec; reason: RegExp; timeout?: number }]>([
		[
			'floods',
			{ fault: { kind: 'endlessBody' }, reason: /is too large: it has more than (1|256) MiB/ },
		],
		[
			'drips',
			{
				fault: { kind: 'endlessBody', pieceBytes: 1, delayMs: 50 },
				reason: /did not answer in time/,
				timeout: 2_000,
			},
		],
	])(
		'that %s is refused by every operation, while n8n answers and holds little',
		async (_how, { fault, reason, timeout }) => {
			const memory = new PeakMemory(real.n8n.pid);
			memory.reset();
			const idleMiB = memory.read() ?? 0;
			real.sandbox.addVideos('main', [{}]);
			const operations = buildAllOperations(await queueOne(), timeout);
			real.sandbox.addFault(fault);
			const work = runContent(real.client, buildWorkflow('Harm', [START, ...operations]));
			expect(await countAnswersDuring(work)).toBeGreaterThan(1);
			const execution = await work;
			expect(execution.status).toBe('success');
			for (const operation of API_OPERATIONS) {
				expect(readItems(execution, operation)).toEqual([
					expect.objectContaining({
						json: expect.objectContaining({
							error: expect.stringMatching(reason) as unknown,
						}) as unknown,
					}),
				]);
			}
			expect(
				real.sandbox.requests.filter(({ operation }) => operation === 'queue.add'),
			).toHaveLength(1);
			expect((memory.read() ?? 0) - idleMiB).toBeLessThan(MOST_MIB);
		},
	);
});
