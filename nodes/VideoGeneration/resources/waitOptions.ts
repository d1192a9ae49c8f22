import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import {
	getCollection,
	getSwitch,
	parseNumber,
	requireNumber,
	requireText,
} from '../item/parameters';
import { parseStatusWords, type WaitSettings } from '../waiting/waitForVideo';
import { binaryPropertyField, fileNameOption, getBinaryPropertyName, getFileName } from './fields';

/** The usual words of such services. */
const DEFAULT_COMPLETED_STATUSES =
	'completed, complete, done, finished, success, successful, succeed, succeeded, ready';
const DEFAULT_FAILED_STATUSES =
	'fail, failed, failure, error, errored, rejected, expired, aborted, cancelled, canceled';

const DEFAULT_INTERVAL_SECONDS = 5;
const DEFAULT_LISTING_DELAY_SECONDS = 10;
const DEFAULT_TIMEOUT_SECONDS = 1800;

/** The fields for the file of the finished video. */
export const finishedVideoFields: INodeProperties[] = [
	{
		displayName: 'Download Video',
		name: 'downloadVideo',
		type: 'boolean',
		default: true,
		description:
			'Whether to return the file of the finished video, too. An item whose video cannot be identified then fails. AI agents get no files.',
	},
	{
		...binaryPropertyField,
		displayOptions: { show: { downloadVideo: [true] } },
	},
];

/** The entry of "Options" that names the file of the finished video. */
export const videoFileNameOption: INodeProperties = {
	...fileNameOption,
	displayOptions: { show: { '/downloadVideo': [true] } },
};

/** "Wait Options", how a video is waited for. */
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
				'Rarely needed. Statuses that mean the video is finished, separated by commas. Not case-sensitive.',
			hint: 'If a finished video is not noticed, add the status that Get Progress shows',
		},
		{
			displayName: 'Failed Statuses',
			name: 'failedStatuses',
			type: 'string',
			default: DEFAULT_FAILED_STATUSES,
			description:
				'Rarely needed. Statuses that mean the video failed, separated by commas. Not case-sensitive.',
			hint: 'With any other status, the node goes on waiting',
		},
		{
			displayName: 'Listing Delay',
			name: 'listingDelay',
			type: 'number',
			typeOptions: { minValue: 0 },
			default: DEFAULT_LISTING_DELAY_SECONDS,
			description:
				'Rarely needed. Seconds within which a finished video appears in the list of videos, where it is identified. If it is too short, items come out without a URL, or with another video of their project if others make videos of it, too.',
			hint: 'Raise it if videos come out without a URL',
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
				'Seconds to wait before the item fails. The video is still made, and the message says how to continue.',
			hint: 'A timeout in the workflow settings must be longer, because it ends the whole execution',
		},
		{
			displayName: 'Videos at Once',
			name: 'videosAtOnce',
			type: 'number',
			typeOptions: { minValue: 1, numberPrecision: 0 },
			// The video that a Wait waits for is being made already.
			displayOptions: { show: { '/operation': ['generate'] } },
			default: 1,
			description:
				'How many videos of one project are made at the same time. Without this option, as many as the service tells apart. With more than that, videos that finish close together come out without a URL.',
		},
	],
};

/** "Wait Options". @throws a NodeOperationError that names the field of a number that is too small */
export function getWaitSettings(context: IExecuteSingleFunctions): WaitSettings {
	const options = getCollection(context, 'waitOptions');
	const getWords = (field: string, value: unknown, fallback: string) =>
		parseStatusWords(requireText(context, value, field).trim() || fallback);
	const getNumber = (label: string, value: unknown, fallback: number, min = 1, isWhole = false) => {
		const range = { min, isWhole, where: "under 'Wait Options'" };
		return requireNumber(context, parseNumber(value) ?? fallback, label, range);
	};
	const getMs = (...option: Parameters<typeof getNumber>) => getNumber(...option) * 1000;
	const isDownloading = getSwitch(context, 'downloadVideo', 'Download Video');
	return {
		binaryPropertyName: isDownloading ? getBinaryPropertyName(context) : undefined,
		fileName: isDownloading ? getFileName(context) : '',
		intervalMs: getMs('Polling Interval', options.pollingInterval, DEFAULT_INTERVAL_SECONDS),
		listingDelayMs: getMs('Listing Delay', options.listingDelay, DEFAULT_LISTING_DELAY_SECONDS, 0),
		timeoutMs: getMs('Timeout', options.timeout, DEFAULT_TIMEOUT_SECONDS),
		videosAtOnce:
			parseNumber(options.videosAtOnce) === undefined
				? undefined
				: getNumber('Videos at Once', options.videosAtOnce, 1, 1, true),
		words: {
			completed: getWords(
				'Completed Statuses',
				options.completedStatuses,
				DEFAULT_COMPLETED_STATUSES,
			),
			failed: getWords('Failed Statuses', options.failedStatuses, DEFAULT_FAILED_STATUSES),
		},
	};
}
