import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import {
	getCollection,
	getSwitch,
	parseNumber,
	requireNumber,
	requireText,
} from '../item/parameters';
import { normalize, type WaitSettings } from '../waiting/waitForVideo';
import { binaryPropertyField, getFileSettings } from './fields';

/** "Wait Options". The default statuses are the usual words of such services. */
const waitOptions = {
	completedStatuses: {
		displayName: 'Completed Statuses',
		type: 'string',
		default: 'completed, complete, done, finished, success, successful, succeed, succeeded, ready',
		description:
			'Rarely needed. Statuses that mean the video is finished, separated by commas. Not case-sensitive.',
		hint: 'If a finished video is not noticed, add the status that Get Progress shows',
	},
	failedStatuses: {
		displayName: 'Failed Statuses',
		type: 'string',
		default:
			'fail, failed, failure, error, errored, rejected, moderated, expired, timeout, timed_out, aborted, cancelled, canceled',
		description:
			'Rarely needed. Statuses that mean the video failed, separated by commas. Not case-sensitive. With any other, the node waits.',
	},
	listingDelay: {
		displayName: 'Listing Delay',
		type: 'number',
		typeOptions: { minValue: 0 },
		default: 10,
		description:
			'Rarely needed. Seconds until a finished video appears in the list of videos, where it is identified. If they are too few, items fail or have no URL. If others make videos of the project, too, an item may get one of theirs.',
		hint: 'In seconds. Raise it if finished videos have no URL.',
	},
	pollingInterval: {
		displayName: 'Polling Interval',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 5,
		description: 'Seconds between progress checks',
		hint: 'In seconds',
	},
	timeout: {
		displayName: 'Timeout',
		type: 'number',
		typeOptions: { minValue: 1 },
		default: 1800,
		description:
			'Seconds to wait before the item fails. The video is still made, and the message says how to continue.',
		hint: 'In seconds. A timeout in the workflow settings must be longer, because it ends the whole execution.',
	},
	videosAtOnce: {
		displayName: 'Videos at Once',
		type: 'number',
		typeOptions: { minValue: 1, numberPrecision: 0 },
		// The video that a Wait waits for is being made already.
		displayOptions: { show: { '/operation': ['generate'] } },
		default: 1,
		description:
			'How many videos of one project are made at the same time. Without this option, one, or several if the service says whose each is. With more than that, videos that finish close together cannot be told apart: their items fail or have no URL.',
	},
} satisfies Record<string, Omit<INodeProperties, 'name'>>;

/** The fields for the wait, and for the file of the finished video. */
export const waitFields: INodeProperties[] = [
	{
		displayName: 'Download Video',
		name: 'downloadVideo',
		type: 'boolean',
		default: true,
		description:
			"Whether to return the video's file, except to AI agents. If on, an item whose video cannot be identified fails.",
	},
	{
		...binaryPropertyField,
		displayOptions: { show: { downloadVideo: [true] } },
	},
	{
		displayName: 'Wait Options',
		name: 'waitOptions',
		type: 'collection',
		placeholder: 'Add option',
		default: {},
		options: Object.entries(waitOptions).map(([name, entry]) => ({ name, ...entry })),
	},
];

/** The settings of these fields. The limits are checked here, for n8n checks no expression. */
export function getWaitSettings(context: IExecuteSingleFunctions): WaitSettings {
	const values = getCollection(context, 'waitOptions');
	const getWords = (name: 'completedStatuses' | 'failedStatuses') => {
		const { displayName, default: usual } = waitOptions[name];
		const list = requireText(context, values[name], displayName).trim() || usual;
		return new Set(list.split(',').map(normalize).filter(Boolean));
	};
	const getNumber = (name: 'listingDelay' | 'pollingInterval' | 'timeout' | 'videosAtOnce') => {
		const { displayName, default: usual, typeOptions } = waitOptions[name];
		const range = { min: typeOptions.minValue, isWhole: 'numberPrecision' in typeOptions };
		return requireNumber(context, parseNumber(values[name]) ?? usual, displayName, range);
	};
	const hasLimit = parseNumber(values.videosAtOnce) !== undefined;
	const isDownloading = getSwitch(context, 'downloadVideo', 'Download Video');
	return {
		...(isDownloading ? getFileSettings(context) : { binaryPropertyName: undefined, fileName: '' }),
		intervalMs: getNumber('pollingInterval') * 1000,
		listingDelayMs: getNumber('listingDelay') * 1000,
		timeoutMs: getNumber('timeout') * 1000,
		videosAtOnce: hasLimit ? getNumber('videosAtOnce') : undefined,
		words: { completed: getWords('completedStatuses'), failed: getWords('failedStatuses') },
	};
}
