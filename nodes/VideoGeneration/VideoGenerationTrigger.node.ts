import type {
	IDataObject,
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes, NodeOperationError } from 'n8n-workflow';
import { attachVideoFiles } from './download/attachVideoFiles';
import { getProjects } from './loadOptions/getProjects';
import { readVideoLogs } from './request/readVideoLogs';
import { CREDENTIAL } from './request/requestDefaults';
import { triggerProperties } from './resources/trigger';
import { readProjectIds } from './resources/trigger/readProjectIds';
import { triggerPanel } from './resources/trigger/triggerPanel';
import { createAccountMark } from './trigger/createAccountMark';
import { CursorStore } from './trigger/CursorStore';
import { findNewestVideo } from './trigger/findNewestVideo';
import { selectNewVideos } from './trigger/selectNewVideos';

export class VideoGenerationTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Video Generation Trigger',
		name: 'videoGenerationTrigger',
		icon: {
			light: 'file:../../icons/videoGeneration.svg',
			dark: 'file:../../icons/videoGeneration.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: 'finished videos',
		// n8n's nodes panel shows one entry for both nodes, with this text: it tells of the actions, too.
		description: 'Queue, follow and download videos, and start a workflow for every finished one',
		defaults: { name: 'Video Generation Trigger' },
		polling: true,
		triggerPanel,
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true }],
		properties: triggerProperties,
	};

	methods = { loadOptions: { getProjects } };

	/** @returns the new videos, oldest first, or null when there is none */
	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		const projectIds = readProjectIds(this);
		const videos =
			this.getMode() === 'manual'
				? await fetchTestEvent(this, projectIds)
				: await takeNewVideos(this, projectIds);
		return videos.length === 0 ? null : [await createItems(this, videos)];
	}
}

/**
 * The videos that are new to this node, and from now on no longer are.
 *
 * The cursor is read after the list has come, and written before anything else can run: two polls
 * that overlap, because the service is slow, do not both hand on the same video.
 */
async function takeNewVideos(
	context: IPollFunctions,
	projectIds: string[],
): Promise<IDataObject[]> {
	const { baseUrl, apiKey } = await context.getCredentials(CREDENTIAL);
	const emitExisting = context.getNodeParameter('options.emitExisting', false) === true;
	const logs = await readVideoLogs(context);

	const store = openCursorStore(context);
	const { videos, cursor } = selectNewVideos(logs, store.load(), {
		account: createAccountMark(baseUrl, apiKey),
		projectIds,
		emitExisting,
		isContinuous: store.isContinuous,
	});
	store.save(cursor, videos.length > 0);
	return videos;
}

/** The newest video, for a user who builds the workflow. Leaves the cursor alone. */
async function fetchTestEvent(
	context: IPollFunctions,
	projectIds: string[],
): Promise<IDataObject[]> {
	const newest = findNewestVideo(await readVideoLogs(context), projectIds);
	if (newest) return [newest];
	throw new NodeOperationError(context.getNode(), 'There is no finished video to show yet', {
		description:
			projectIds.length === 0
				? 'Finish a video and fetch the test event again. The workflow can be published all the same: it starts with the first video.'
				: 'Finish a video of the projects chosen in "Project Names or IDs", or choose others, and fetch the test event again.',
	});
}

function openCursorStore(context: IPollFunctions): CursorStore {
	const data = context.getWorkflowStaticData('node');
	try {
		return new CursorStore(
			data,
			() => context.getWorkflowStaticData('global'),
			context.getNode().id,
		);
	} catch {
		throw new NodeOperationError(context.getNode(), 'What n8n has saved for this node is damaged', {
			description:
				'Give the node another name and publish the workflow: n8n then starts afresh. Videos that are there by then do not start the workflow.',
		});
	}
}

/**
 * One item for each video, with the fields of the API, and with its file where that is wanted. The
 * cursor has been written by now, and nothing here fails: a video is handed on with or without it.
 */
async function createItems(
	context: IPollFunctions,
	videos: IDataObject[],
): Promise<INodeExecutionData[]> {
	const { downloadVideo, binaryPropertyName } = readDownloadOptions(context);
	if (!downloadVideo) return videos.map((json) => ({ json }));
	return await attachVideoFiles(context, videos, binaryPropertyName);
}

function readDownloadOptions(context: IPollFunctions) {
	const name = context.getNodeParameter('options.binaryPropertyName', 'data');
	return {
		downloadVideo: context.getNodeParameter('options.downloadVideo', false) === true,
		binaryPropertyName: typeof name === 'string' && name.trim() !== '' ? name.trim() : 'data',
	};
}
