import type { FaultSpec } from '../../../sandbox/faults/FaultSpec';

/**
 * The fate of an add, as far as its client can know it from the response. `refused`: nothing was
 * queued. `unknown`: it may have been accepted, but no response had the id. `told`: it was
 * accepted, and the response had the id. `unclear`: the specification does not say which of these
 * it is.
 */
export type Fate = 'refused' | 'unknown' | 'told' | 'unclear';

export interface Trouble {
	fault: FaultSpec;
	/** A description for a person. */
	tale: string;
	/** Delay of the response, or the time that the service asks its clients to wait. */
	takesMs?: number;
}

const PAGE = '<html><body><h1>504 Gateway Time-out</h1></body></html>';
const asHtml = { body: PAGE, contentType: 'text/html', phase: 'after' } as const;

/** Longer than the timeout of any request of the node. */
const TOO_SLOW_MS = 400_000;

/** Every trouble of an add, the harmless ones first. */
export const ADD_TROUBLES = {
	'status Success': told({ kind: 'envelopeStatus', word: 'Success' }),
	'status ok': told({ kind: 'envelopeStatus', word: 'ok' }),
	slow: { ...told({ kind: 'latency', delayMs: 20_000, phase: 'after' }), takesMs: 20_000 },
	'400': refused({ kind: 'status', status: 400, message: 'projectId is not valid' }),
	'402': refused({ kind: 'status', status: 402, message: 'Insufficient credits' }),
	'403': refused({ kind: 'status', status: 403, message: 'Your subscription was canceled' }),
	redirect: refused({ kind: 'redirect', location: 'http://127.0.0.1:9/elsewhere' }),
	'429': refused({ kind: 'tooManyRequests', retryAfter: 'none' }),
	'429 for 3 s': {
		...refused({ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 3 }),
		takesMs: 3_000,
	},
	'429 until a date': {
		...refused({ kind: 'tooManyRequests', retryAfter: 'date', seconds: 20 }),
		takesMs: 20_000,
	},
	'429 for 150 s': {
		...refused({ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 150 }),
		takesMs: 150_000,
	},
	'error in an envelope of 200': {
		fault: { kind: 'errorEnvelope', message: 'Your plan was canceled' },
		tale: 'answers 200 with the status error',
		fate: 'unclear',
	},
	'500 before': unknown({ kind: 'status', status: 500 }),
	'reset before': unknown({ kind: 'reset' }),
	'web page before': unknown({ kind: 'html' }),
	'500 after': unknown({ kind: 'status', status: 500, phase: 'after' }),
	'502 after': unknown({ kind: 'status', status: 502, ...asHtml }),
	'504 after': unknown({ kind: 'status', status: 504, ...asHtml }),
	'reset after': unknown({ kind: 'reset', phase: 'after' }),
	'web page after': unknown({ kind: 'html', phase: 'after' }),
	'empty body': unknown({ kind: 'emptyBody' }),
	'cut off': unknown({ kind: 'cutOff' }),
	'cut off, chunked': unknown({ kind: 'cutOff', ending: 'chunked' }),
	'cut off by a break': unknown({ kind: 'cutOff', ending: 'break' }),
	'cut off by a break, chunked': unknown({ kind: 'cutOff', ending: 'breakChunked' }),
	'broken status line': unknown({ kind: 'brokenHttp' }),
	'broken header': unknown({ kind: 'brokenHttp', part: 'header' }),
	'broken chunk': unknown({ kind: 'brokenHttp', part: 'chunk' }),
	'no newQueueItem': unknown({ kind: 'missingField', field: 'newQueueItem' }),
	'no queueId': unknown({ kind: 'missingField', field: 'newQueueItem.queueId' }),
	'too slow': {
		...unknown({ kind: 'latency', delayMs: TOO_SLOW_MS, phase: 'after' }),
		takesMs: TOO_SLOW_MS,
	},
} satisfies Record<string, Trouble & { fate: Fate }>;

export type AddTrouble = keyof typeof ADD_TROUBLES;

/** The troubles of a request for the progress or for the video log. */
export const READ_TROUBLES = {
	'404': read({ kind: 'status', status: 404, message: 'Queue item not found' }),
	'500': read({ kind: 'status', status: 500 }),
	'429': read({ kind: 'tooManyRequests', retryAfter: 'none' }),
	'429 for 5 s': {
		...read({ kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 5 }),
		takesMs: 5_000,
	},
	'504': read({ kind: 'status', status: 504, ...asHtml }),
	reset: read({ kind: 'reset' }),
	slow: { ...read({ kind: 'latency', delayMs: 15_000, phase: 'after' }), takesMs: 15_000 },
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

function refused(fault: FaultSpec) {
	return { fault, tale: `refuses it with ${describeFault(fault)}`, fate: 'refused' as const };
}

function unknown(fault: FaultSpec) {
	const isCarriedOut = 'phase' in fault || !['status', 'reset', 'html'].includes(fault.kind);
	const when = isCarriedOut ? 'accepts it, and then' : 'does not carry it out:';
	return { fault, tale: `${when} ${describeFault(fault)}`, fate: 'unknown' as const };
}

function told(fault: FaultSpec) {
	return { fault, tale: `accepts it: ${describeFault(fault)}`, fate: 'told' as const };
}

function read(fault: FaultSpec) {
	return { fault, tale: describeFault(fault) };
}

function describeFault({ kind, ...options }: FaultSpec): string {
	const texts = Object.entries(options)
		.filter(([name]) => !['body', 'contentType', 'phase'].includes(name))
		.map(([name, value]) => `${name} ${String(value)}`);
	return [kind, ...texts].join(', ');
}
