import type { FaultSpec } from '../../../sandbox/faults/FaultSpec';

export interface Trouble {
	fault: FaultSpec;
	/** Delay of the response, or the time that the service asks its clients to wait. */
	takesMs?: number;
}

const PAGE = '<html><body><h1>504 Gateway Time-out</h1></body></html>';
const asHtml = { body: PAGE, contentType: 'text/html', phase: 'after' } as const;

/** Longer than the timeout of any request of the node. */
const TOO_SLOW_MS = 400_000;

/**
 * Faults of adds, the harmless ones first. What they mean for an add is judged by the bytes that are
 * sent (`fates.ts`), not by this list.
 */
export const ADD_FAULTS: FaultSpec[] = [
	{ kind: 'envelopeStatus', word: 'Success' },
	{ kind: 'envelopeStatus', word: 'ok' },
	{ kind: 'envelopeStatus', word: 'error' },
	{ kind: 'envelopeStatus', word: null },
	{ kind: 'latency', delayMs: 20_000, phase: 'after' },
	{ kind: 'status', status: 400, message: 'projectId is not valid' },
	{ kind: 'status', status: 402, message: 'Insufficient credits' },
	{ kind: 'status', status: 403, message: 'Your subscription was canceled' },
	{ kind: 'redirect', location: 'http://127.0.0.1:9/elsewhere' },
	{ kind: 'tooManyRequests', retryAfter: 'none' },
	{ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 3 },
	{ kind: 'tooManyRequests', retryAfter: 'date', seconds: 20 },
	{ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 150 },
	{ kind: 'errorEnvelope', message: 'Your plan was canceled' },
	{ kind: 'status', status: 500 },
	{ kind: 'reset' },
	{ kind: 'html' },
	{ kind: 'status', status: 500, phase: 'after' },
	{ kind: 'status', status: 502, ...asHtml },
	{ kind: 'status', status: 504, ...asHtml },
	{ kind: 'reset', phase: 'after' },
	{ kind: 'html', phase: 'after' },
	{ kind: 'emptyBody' },
	{ kind: 'brokenHttp' },
	{ kind: 'brokenHttp', part: 'header' },
	{ kind: 'brokenHttp', part: 'chunk' },
	{ kind: 'missingField', field: 'newQueueItem' },
	{ kind: 'missingField', field: 'newQueueItem.queueId' },
	{ kind: 'latency', delayMs: TOO_SLOW_MS, phase: 'after' },
];

/** Returns how long a fault holds its request up, or lets its client wait. */
export function getDurationMs(fault: FaultSpec): number {
	if (fault.kind === 'latency') return fault.delayMs;
	return fault.kind === 'tooManyRequests' && fault.retryAfter !== 'none'
		? (fault.seconds ?? 1) * 1000
		: 0;
}

/** The troubles of a request for the progress or for the video log. */
export const READ_TROUBLES = {
	'404': read({ kind: 'status', status: 404, message: 'Queue item not found' }),
	'500': read({ kind: 'status', status: 500 }),
	'429': read({ kind: 'tooManyRequests', retryAfter: 'none' }),
	'429 for 5 s': read({ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 5 }),
	'504': read({ kind: 'status', status: 504, ...asHtml }),
	reset: read({ kind: 'reset' }),
	slow: read({ kind: 'latency', delayMs: 15_000, phase: 'after' }),
	'cut off': read({ kind: 'cutOff' }),
	'empty body': read({ kind: 'emptyBody' }),
	'web page': read({ kind: 'html' }),
	'broken HTTP': read({ kind: 'brokenHttp' }),
	'status ok': read({ kind: 'envelopeStatus', word: 'ok' }),
} satisfies Record<string, Trouble>;

export type ReadTrouble = keyof typeof READ_TROUBLES;

/** The troubles that a download of a file can have, too. */
export const FILE_TROUBLES = ['404', '500', 'reset', 'cut off', 'web page'] as const;

export type FileTrouble = (typeof FILE_TROUBLES)[number];

function read(fault: FaultSpec): Trouble {
	return { fault, takesMs: getDurationMs(fault) };
}

/** Describes a fault to a person. */
export function describeFault({ kind, ...options }: FaultSpec): string {
	const texts = Object.entries(options)
		.filter(([name]) => !['body', 'contentType'].includes(name))
		.map(([name, value]) => `${name} ${JSON.stringify(value)}`);
	return [kind, ...texts].join(', ');
}
