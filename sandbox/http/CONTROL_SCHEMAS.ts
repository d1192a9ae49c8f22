const MS = { type: 'number', minimum: 0 };
const TEXT = { type: 'string' };
const FLAG = { type: 'boolean' };
const COUNT = { type: 'integer', minimum: 0 };

function object(properties: Record<string, object>, required: string[] = []): object {
	return { type: 'object', properties, required, additionalProperties: false };
}

const DURATIONS = object({ pendingMs: MS, processingMs: MS, renderingMs: MS, logDelayMs: MS });
const PROJECT = { name: TEXT, cost: COUNT, fails: FLAG, durations: DURATIONS };
const VIDEO = { id: TEXT, url: { type: ['string', 'null'] }, projectId: TEXT, createdAt: TEXT };

/** What the control routes take. A misspelt field is refused: it would change nothing, silently. */
export const CONTROL_SCHEMAS = {
	settings: {
		body: object({
			latencyMs: MS,
			rateLimit: {
				anyOf: [{ const: false }, object({ max: COUNT, windowMs: MS }, ['max', 'windowMs'])],
			},
			durations: DURATIONS,
			endedItemsLeaveAfterMs: { anyOf: [MS, { type: 'null' }] },
			numericQueueIds: FLAG,
			logClockSkewMs: { type: 'number' },
			logWholeSeconds: FLAG,
			videoUrlInDetails: FLAG,
			statusWords: object({ completed: TEXT, failed: TEXT }),
		}),
	},
	advance: { body: object({ ms: MS }, ['ms']) },
	queueItem: { body: object({ durations: DURATIONS }, ['durations']) },
	account: { body: object({ credits: COUNT }, ['credits']) },
	videos: { body: object({ videos: { type: 'array', items: object(VIDEO) } }, ['videos']) },
	project: { body: object(PROJECT) },
	projects: {
		body: object(
			{
				projects: {
					type: 'array',
					items: object({ ...PROJECT, id: TEXT, createdAt: COUNT, updatedAt: COUNT }),
				},
			},
			['projects'],
		),
	},
};
