/*
 * Slow responses, by the clock of the executions: those of one execution hold up no other one, and what a list
 * that another execution waits for shows is not new.
 */

import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { RecordedRequest } from '../../sandbox/control/requestLog';
import { GENERATE, PROJECT, WAIT } from '../support/engine/OPERATIONS';
import { getOwnVideoId, planVideos } from '../support/engine/planVideos';
import { playTogether } from '../support/engine/playTogether';
import { useSandbox } from '../support/engine/useSandbox';

const TOUR = 'project-city-tour';

const sleeping = new Set<RecordedRequest>();

const service = useSandbox({
	wait: async (delayMs, request) => {
		sleeping.add(request);
		await new Promise<void>((resolve) => setTimeout(resolve, delayMs));
		sleeping.delete(request);
	},
});

beforeEach(() => {
	sleeping.clear();
});

/** Runs the node with each of these, so long after the first one. */
async function play(
	...runs: [afterMs: number, parameters: INodeParameters, items: IDataObject[]][]
) {
	const { clock, onRequest } = service.sandbox;
	const countSleeping = () => [...sleeping].filter(({ closed }) => closed !== true).length;
	const executions = runs.map(([afterMs, parameters, items]) =>
		service.begin(parameters, { afterMs, items }),
	);
	return await playTogether({ clock, onRequest, countSleeping }, executions);
}

test('An entry of a list that another execution waits for is not new to an item that is added meanwhile', async () => {
	const { sandbox } = service;
	sandbox.addVideos('main', [{ projectId: PROJECT, createdAt: 'never' }]);
	const slow = { kind: 'latency', delayMs: 12_000, phase: 'after', nth: 1 } as const;
	sandbox.addFault({ ...slow, operation: 'video.getAll' });
	planVideos(sandbox, { processingMs: 15_000 }, { processingMs: 15_000 });
	const [, ending] = await play([0, GENERATE, [{ project: TOUR }]], [1_000, GENERATE, [{}]]);
	const [{ json } = { json: {} as IDataObject }] = ending?.result.items ?? [];
	expect((json.video as IDataObject | null)?.id).toBe(getOwnVideoId(sandbox, json));
});

test('An execution with many slow looks holds up no other one', async () => {
	const { sandbox } = service;
	sandbox.setCredits('main', 201);
	const rows = (await service.queueVideos(200)).map((queueId) => ({ queueId, project: PROJECT }));
	for (const { queueId } of rows) {
		sandbox.changeQueueItem(queueId, { durations: { processingMs: 3_000_000 } });
		sandbox.addFault({ kind: 'latency', delayMs: 50_000, containing: queueId });
	}
	const waits = { ...WAIT, waitOptions: { timeout: 120, listingDelay: 1 } };
	const [, ending] = await play([0, waits, rows], [103_000, GENERATE, [{ project: TOUR }]]);
	// It is looked at after 5 and 10 s, and settled after 20 s.
	expect((ending?.endedAt ?? Infinity) - (ending?.startedAt ?? 0)).toBeLessThan(23_000);
});
