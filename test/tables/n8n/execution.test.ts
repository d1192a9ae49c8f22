import { getExecutionEnd } from '../../../nodes/VideoGeneration/n8n/execution';

interface Known {
	/** The timeout of the workflow, in seconds. */
	own?: number;
	/** What n8n's time for the execution has left, and since when it goes on, in seconds. */
	left?: number;
	since?: number;
	mode?: string;
	type?: string;
	signal?: AbortSignal;
}

/** After how many seconds n8n ends an execution. */
function getSecondsLeft({ own, left, since, mode = 'trigger', type = 'main', signal }: Known) {
	const context = {
		additionalData: left !== undefined && {
			executionTimeoutTimestamp: Date.now() + left * 1_000,
		},
		instanceSettings: { instanceType: type },
		getExecutionContext: () => since !== undefined && { establishedAt: Date.now() - since * 1_000 },
		getExecutionCancelSignal: () => signal,
		getWorkflowSettings: () => ({ executionTimeout: own }),
		getMode: () => mode,
	};
	return Math.round((getExecutionEnd(context as never) - performance.now()) / 1_000);
}

/** After n8n's Wait node, with which n8n's own time begins anew. */
const PARKED = { own: 300, left: 300, since: 250 };

test.each<[string, Known, number]>([
	['never where nothing is set', { since: 250 }, Infinity],
	['by the timeout of its workflow, after nodes that took long', { own: 300, since: 250 }, 50],
	['by that, of which its start is not known', { own: 300 }, 300],
	['by that of the instance, after nodes that took long', { left: 90, since: 250 }, 90],
	['by that of the instance, though its workflow may take longer', { own: 300, left: 50 }, 50],
	['by that of its workflow, after a wait that n8n has parked, which counts', PARKED, 50],
	['anew after an approval, by which it is past its end', { ...PARKED, since: 1_000 }, 300],
	['anew as a retry, whose start is of the failed execution', { ...PARKED, mode: 'retry' }, 300],
	['anew on a worker', { ...PARKED, type: 'worker' }, 300],
])('An execution is ended %s', (_how, known, expected) => {
	expect(getSecondsLeft(known)).toBe(expected);
});

test('A later run of the node, as in a loop, has what the first one has left', () => {
	const { signal } = new AbortController();
	const known = { own: 160, type: 'worker', signal };
	expect([getSecondsLeft(known), getSecondsLeft({ ...known, own: 300 })]).toEqual([160, 160]);
});
