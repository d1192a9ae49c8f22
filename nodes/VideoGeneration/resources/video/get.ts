import type { IDataObject, IExecuteSingleFunctions, INodeProperties } from 'n8n-workflow';
import { ENDPOINTS } from '../../api/endpoints';
import { isObject, toText } from '../../api/response';
import { identifyEntry, putFirst } from '../../api/videoLog';
import { fetchSharedLog } from '../../download/outputVideo';
import type { Job, Operation } from '../../item/job';
import { CHECK_EXPRESSION, createInputError, getId, requireGiven } from '../../item/parameters';

/** "Video" of Video > Download. */
export const videoFileLocator: INodeProperties = {
	displayName: 'Video',
	name: 'video',
	type: 'resourceLocator',
	required: true,
	default: { mode: 'list', value: '' },
	modes: [
		{
			displayName: 'From List',
			name: 'list',
			type: 'list',
			placeholder: 'Select a video…',
			typeOptions: { searchListMethod: 'searchVideos', searchable: true },
		},
		{
			displayName: 'By URL',
			name: 'url',
			type: 'string',
			placeholder: 'e.g. https://example.com/video.mp4',
		},
		{
			displayName: 'By ID',
			name: 'id',
			type: 'string',
			placeholder: 'e.g. {{ $json.video.id }}',
			hint: "Video > Get Many returns it as 'id'",
		},
	],
	description:
		'The video to download: one of your newest 100, or any by its ID or address. An address may expire, an ID does not. The API key is not sent to the address.',
};

/** Video > Get (specification, "GET /v1/videos"). The API lists all videos, of which the node picks one. */
export const get: Operation<{ videoId: string }> = {
	name: 'Get',
	action: 'Get video',
	description: 'Show a finished video, with an address that is fresh',
	request: ENDPOINTS.listVideos,
	fields: [
		{
			...videoFileLocator,
			modes: videoFileLocator.modes?.filter(({ name }) => name !== 'url') ?? [],
			description: 'The video to show: one of your newest 100, or any by its ID',
		},
	],
	getIds: (order) => order,
	prepare: (context) => ({ videoId: getVideo(context) }),
	perform: async (job) => [{ json: putFirst(await findVideo(job, job.order.videoId)) }],
};

/** "Video": a web address, or else an ID, in any mode. @throws a NodeOperationError when it is empty */
export function getVideo(context: IExecuteSingleFunctions): string {
	const video = getId(context, 'video', 'Video');
	const whatToDo = `Choose a video from the list, or enter its ID. ${CHECK_EXPRESSION} Nothing was sent.`;
	return requireGiven(context, video, 'Video', whatToDo);
}

/** The entry of a video in the list, so that its address is fresh. @throws a NodeOperationError if it is not listed */
export async function findVideo(job: Job, wanted: string): Promise<IDataObject> {
	const entries = await fetchSharedLog(job);
	const found = entries
		.filter(isObject)
		.filter(({ id, url }) => toText(id) === wanted || url === wanted);
	if (new Set(found.map(identifyEntry)).size > 1) {
		throw createInputError(
			job.context,
			'Several finished videos have this ID',
			"The service sends IDs as numbers that are too long for JavaScript, which rounds them. Enter the video's address in 'Video' of this item: the 'url' that Video > Get Many returns.",
		);
	}
	const [video] = found;
	if (video) return video;
	throw createInputError(
		job.context,
		'The account has no finished video with this ID',
		"Check 'Video' of this item: choose it from the list, or enter the 'id' that Video > Get Many returns. The video may belong to another account, or may have been deleted.",
	);
}
