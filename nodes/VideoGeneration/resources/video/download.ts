import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { hideQuery, parseVideoAddress } from '../../download/downloadVideo';
import { downloadOfItem } from '../../download/outputVideo';
import type { Operation } from '../../item/job';
import { createInputError } from '../../item/parameters';
import { isAgentCall } from '../../n8n/calls';
import { binaryPropertyField, fileNameOption, type FileSettings, getFileSettings } from '../fields';
import { findVideo, getVideo, videoFileLocator } from './get';

/** The video is an address, or the ID of one in the list. */
type Download = FileSettings & { video: URL | string };

/** Video > Download: the request goes to the video's own host, without the key. */
export const download: Operation<Download> = {
	name: 'Download',
	action: 'Download video file',
	description: 'Download the file of a finished video',
	fields: [videoFileLocator, binaryPropertyField],
	options: [fileNameOption],
	getIds: ({ video }) =>
		typeof video === 'string' ? { videoId: video } : { videoUrl: hideQuery(video) },

	prepare(context) {
		if (isAgentCall(context)) {
			throw createInputError(
				context,
				"Agents can't use Video > Download",
				"n8n passes no files to a model. Use the video's address: the 'url' that Video > Get Many returns. Nothing was sent.",
			);
		}
		return { video: getAddressOrId(context), ...getFileSettings(context) };
	},

	async perform(job) {
		const { video, binaryPropertyName, fileName } = job.order;
		const address = typeof video === 'string' ? (await findVideo(job, video)).url : video.href;
		const file = await downloadOfItem(job, { address, addressField: "'Video'", fileName });
		const { json, binary } = job.context.getInputData();
		return [{ json: { ...json }, binary: { ...binary, [binaryPropertyName]: file } }];
	},
};

/** @throws a NodeOperationError when "Video" is an address that cannot be requested */
function getAddressOrId(context: IExecuteSingleFunctions): Download['video'] {
	const video = getVideo(context);
	if (!/^\w+:\/\//.test(video)) return video;
	const address = parseVideoAddress(video);
	if (address !== undefined) return address;
	throw createInputError(
		context,
		"'Video' is not a web address",
		"Enter an address that begins with http:// or https://, without a user name or password, or the video's ID. Nothing was sent.",
	);
}
