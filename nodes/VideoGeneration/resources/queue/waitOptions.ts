import type { IDataObject, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { fetchProgress, fetchVideoLog } from '../../api/endpoints';
import type { Job } from '../../execution/operation';
import {
	createInputError,
	getCollection,
	parseNumber,
	parseText,
} from '../../execution/parameters';
import type { AccountVideos, TrackedItem } from '../../waiting/accountVideos';
import type { StatusWords } from '../../waiting/status';
import {
	DEFAULT_COMPLETED_STATUSES,
	DEFAULT_FAILED_STATUSES,
	parseStatusWords,
} from '../../waiting/status';
import { waitForVideo } from '../../waiting/waitForVideo';

const DEFAULT_INTERVAL_SECONDS = 10;
const DEFAULT_TIMEOUT_SECONDS = 1800;

/** How a video is waited for. */
export const waitOptions: INodeProperties = {
	displayName: 'Wait Options',
	name: 'waitOptions',
	type: 'collection',
	placeholder: 'Add option',
	default: {},
	options: [
		{
			displayName: 'Completed Statuses',
			name: 'completedStatuses',
			type: 'string',
			default: DEFAULT_COMPLETED_STATUSES,
			description:
				'The statuses that mean the video is finished, separated by commas. Not case-sensitive.',
			hint: 'The service does not publish its statuses. If a finished video is not noticed, add the status that Get Progress shows.',
		},
		{
			displayName: 'Failed Statuses',
			name: 'failedStatuses',
			type: 'string',
			default: DEFAULT_FAILED_STATUSES,
			description:
				'The statuses that mean there will be no video, separated by commas. Not case-sensitive.',
			hint: 'With any status in neither list, the video is still being made',
		},
		{
			displayName: 'Polling Interval',
			name: 'pollingInterval',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: DEFAULT_INTERVAL_SECONDS,
			description: 'Seconds between progress checks',
		},
		{
			displayName: 'Timeout',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: DEFAULT_TIMEOUT_SECONDS,
			description:
				'Seconds to wait before the item fails. The video is still made, and the error says how to go on.',
			hint: 'A timeout in the workflow settings must be longer, since it ends the whole execution',
		},
	],
};

export interface WaitSettings {
	intervalMs: number;
	timeoutMs: number;
	words: StatusWords;
}

/** "Wait Options". @throws a NodeOperationError that names the field, unless both times are 1 second or more */
export function getWaitSettings(context: IExecuteSingleFunctions): WaitSettings {
	const options = getCollection(context, 'waitOptions');
	const getWords = (value: unknown, fallback: string) =>
		parseStatusWords(value === undefined || value === null ? fallback : (parseText(value) ?? ''));
	return {
		intervalMs:
			getSeconds(context, 'Polling Interval', options.pollingInterval, DEFAULT_INTERVAL_SECONDS) *
			1000,
		timeoutMs: getSeconds(context, 'Timeout', options.timeout, DEFAULT_TIMEOUT_SECONDS) * 1000,
		words: {
			completed: getWords(options.completedStatuses, DEFAULT_COMPLETED_STATUSES),
			failed: getWords(options.failedStatuses, DEFAULT_FAILED_STATUSES),
		},
	};
}

function getSeconds(
	context: IExecuteSingleFunctions,
	field: string,
	value: unknown,
	fallback: number,
): number {
	const seconds = parseNumber(value) ?? fallback;
	if (Number.isFinite(seconds) && seconds >= 1) return seconds;
	throw createInputError(
		context,
		`"${field}" must be 1 second or more`,
		`Correct "${field}" under Wait Options. Nothing was sent for this item.`,
	);
}

/** Waits for the video of an item's queue item, with the item's own credential and connection. */
export async function waitForQueueItem(
	{ context, request, run, maxTries }: Job,
	settings: WaitSettings,
	queued: {
		account: AccountVideos;
		item: TrackedItem;
		queueId: string;
		details?: IDataObject;
		onStatus?: (status: string) => void;
	},
): Promise<IDataObject> {
	const { proxy, skipSslCertificateValidation, timeout } = request;
	const options = {
		maxTries: 1,
		signal: run.signal,
		connection: { proxy, skipSslCertificateValidation, timeout },
	};
	return await waitForVideo({
		...settings,
		...queued,
		maxTries,
		requests: {
			fetchProgress: async (queueId) => await fetchProgress(context, queueId, options),
			fetchLog: async () => await fetchVideoLog(context, options),
			signal: run.signal,
		},
	});
}
