import type { INodeProperties } from 'n8n-workflow';
import { DEFAULT_COMPLETED_STATUSES, DEFAULT_FAILED_STATUSES } from '../../completion/judgeStatus';
import {
	DEFAULT_POLLING_INTERVAL_SECONDS,
	DEFAULT_TIMEOUT_SECONDS,
} from '../../completion/readWaitSettings';

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
				'The words in "status" that mean that a video is finished, separated by commas. Upper and lower case are the same.',
			hint: 'The service does not publish its words: if a finished video goes unnoticed, add the word that Get Progress shows',
		},
		{
			displayName: 'Failed Statuses',
			name: 'failedStatuses',
			type: 'string',
			default: DEFAULT_FAILED_STATUSES,
			description:
				'The words in "status" that mean that there will be no video, separated by commas. Upper and lower case are the same.',
			hint: 'Any word that is in neither list means that the video is still being made',
		},
		{
			displayName: 'Polling Interval',
			name: 'pollingInterval',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: DEFAULT_POLLING_INTERVAL_SECONDS,
			description: 'How many seconds to wait between two looks at the progress',
		},
		{
			displayName: 'Timeout',
			name: 'timeout',
			type: 'number',
			typeOptions: { minValue: 1 },
			default: DEFAULT_TIMEOUT_SECONDS,
			description:
				'After how many seconds to stop waiting. The video is made all the same, and the error says how to go on.',
			hint: 'If the workflow has a timeout in its settings, that one must be longer: it ends the whole execution',
		},
	],
};
