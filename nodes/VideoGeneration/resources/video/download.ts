import type { IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { updateDisplayOptions } from 'n8n-workflow';
import { downloadVideo, hideQuery, parseVideoAddress } from '../../download/downloadVideo';

import type { Operation } from '../../item/job';
import { createInputError, getText } from '../../item/parameters';
import {
	binaryPropertyField,
	createOptionsField,
	getBinaryPropertyName,
	maxTriesOption,
} from '../fields';

export const downloadFields: INodeProperties[] = updateDisplayOptions(
	{ show: { resource: ['video'], operation: ['download'] } },
	[
		{
			displayName: 'Video URL',
			name: 'videoUrl',
			type: 'string',
			required: true,
			default: '',
			placeholder: 'e.g. {{ $json.url }}',
			description:
				"The address of the finished video: the URL that Video > Get Many returns, or 'videoUrl' of Queue > Wait. The API key is not sent there.",
		},
		binaryPropertyField,
		createOptionsField(
			{
				displayName: 'File Name',
				name: 'fileName',
				type: 'string',
				default: '',
				placeholder: 'e.g. product-teaser.mp4',
				description:
					"The name of the file. Leave it empty to use the name in the address. The video's extension is added if it is missing.",
			},
			maxTriesOption,
		),
	],
);

/** Video > Download: the request goes to the video's own host, without the key. */
export const download: Operation<{ url: URL; binaryPropertyName: string; fileName: string }> = {
	requestKind: 'read',
	routing: { send: { paginate: true } },
	getIds: ({ url }) => (url instanceof URL ? { videoUrl: hideQuery(url) } : {}),

	prepare: (context) => ({
		url: getVideoUrl(context),
		binaryPropertyName: getBinaryPropertyName(context),
		fileName: getText(context, 'options.fileName', 'File Name').trim(),
	}),

	async perform({ api, context, run, order: { url, binaryPropertyName, fileName } }) {
		const video = { address: url.href, addressField: "'Video URL'", fileName };
		const settings = { ...video, retries: api, settings: api.connection };
		const file = await run.takeDownloadSlot(async () => await downloadVideo(context, settings));
		const { json, binary } = context.getInputData();
		return [{ json: { ...json }, binary: { ...binary, [binaryPropertyName]: file } }];
	},
};

/** @throws a NodeOperationError when "Video URL" is not a web address */
function getVideoUrl(context: IExecuteSingleFunctions): URL {
	const videoUrl = getText(context, 'videoUrl', 'Video URL').trim();
	if (videoUrl === '') {
		throw createInputError(
			context,
			"'Video URL' is empty",
			'Enter the URL of a video, as Video > Get Many returns it. If it is an expression, check that it has a value for this item. Nothing was sent.',
		);
	}
	const address = parseVideoAddress(videoUrl);
	if (address !== undefined) return address;
	throw createInputError(
		context,
		"'Video URL' is not a web address",
		"Enter an address that begins with http:// or https://, without a user name or password, such as the 'url' that Video > Get Many returns. Nothing was sent.",
	);
}
