import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import {
	DEFAULT_COMPLETED_STATUSES,
	DEFAULT_FAILED_STATUSES,
	readStatusWords,
} from './judgeStatus';
import type { StatusWords } from './judgeStatus';

export const DEFAULT_POLLING_INTERVAL_SECONDS = 10;
export const DEFAULT_TIMEOUT_SECONDS = 1800;

export interface WaitSettings {
	intervalMs: number;
	timeoutMs: number;
	words: StatusWords;
}

interface WaitOptions {
	pollingInterval?: unknown;
	timeout?: unknown;
	completedStatuses?: string;
	failedStatuses?: string;
}

/**
 * The item's "Wait Options".
 *
 * @throws a NodeOperationError that names the field, unless both times are 1 second or more
 */
export function readWaitSettings(context: IExecuteSingleFunctions): WaitSettings {
	const options = context.getNodeParameter('waitOptions', {}) as WaitOptions;
	const {
		pollingInterval = DEFAULT_POLLING_INTERVAL_SECONDS,
		timeout = DEFAULT_TIMEOUT_SECONDS,
		completedStatuses = DEFAULT_COMPLETED_STATUSES,
		failedStatuses = DEFAULT_FAILED_STATUSES,
	} = options;
	return {
		intervalMs: readSeconds(context, 'Polling Interval', pollingInterval) * 1000,
		timeoutMs: readSeconds(context, 'Timeout', timeout) * 1000,
		words: {
			completed: readStatusWords(completedStatuses),
			failed: readStatusWords(failedStatuses),
		},
	};
}

function readSeconds(context: IExecuteSingleFunctions, field: string, value: unknown): number {
	const seconds = Number(value);
	if (Number.isFinite(seconds) && seconds >= 1) return seconds;
	throw new NodeOperationError(context.getNode(), `"${field}" is not a number of seconds from 1`, {
		itemIndex: context.getItemIndex(),
		description: `Correct "${field}" under Wait Options. Nothing was sent for this item.`,
	});
}
