import type { INodeProperties } from 'n8n-workflow';
import { DOWNLOAD } from '../../download/downloadPolicy';
import { checkDownloadFields } from '../../download/readDownloadFields';
import { READ } from '../../request/operationPolicies';
import { prepareRequest } from '../../request/prepareRequest';
import { checkLimit } from '../../request/steps/checkLimit';
import { checkList } from '../../request/steps/checkReply';
import { checkVideoFilter } from '../../request/steps/checkVideoFilter';
import { filterVideos } from '../../request/steps/filterVideos';
import { limitItems } from '../../request/steps/limitItems';
import { takeList } from '../../request/steps/takeList';
import { downloadFields } from './download';
import { getAllFields } from './getAll';

export const videoProperties: INodeProperties[] = [
	{
		displayName: 'Operation',
		name: 'operation',
		type: 'options',
		noDataExpression: true,
		displayOptions: { show: { resource: ['video'] } },
		default: 'getAll',
		options: [
			{
				name: 'Download',
				value: 'download',
				action: 'Download a video file',
				description: 'Download the file of a finished video, which costs nothing',
				routing: {
					send: { paginate: true, preSend: [prepareRequest(DOWNLOAD, checkDownloadFields)] },
				},
			},
			{
				name: 'Get Many',
				value: 'getAll',
				action: 'Get many finished videos',
				description: 'List finished videos, newest first, which costs nothing',
				routing: {
					request: { method: 'GET', url: '/v1/videos' },
					send: { paginate: true, preSend: [prepareRequest(READ, checkLimit, checkVideoFilter)] },
					output: { postReceive: [checkList, takeList('videos'), filterVideos, limitItems] },
				},
			},
		],
	},
	...downloadFields,
	...getAllFields,
];
