import type {
	IDataObject,
	IExecutePaginationFunctions,
	IExecuteSingleFunctions,
	INodeExecutionData,
} from 'n8n-workflow';
import { ONE_THING, WHOLE_LIST } from '../request/answerLimits';
import type { NodeRun } from '../request/nodeRun';
import type { PreparedItem, RequestStep } from '../request/prepareRequest';
import { getPreparedItem } from '../request/prepareRequest';
import { readFromApi } from '../request/readFromApi';
import { readText } from '../request/readText';
import { encodePathSegment } from '../request/steps/encodePathSegment';
import { requireField, requireList } from '../request/steps/requireField';
import type { WaitSettings } from './readWaitSettings';
import { readWaitSettings } from './readWaitSettings';
import { readTime } from './VideoLogReads';
import { WaitingRoom } from './WaitingRoom';

/** What was read before anything was sent, for then a mistake costs nothing. */
const settingsOf = new WeakMap<PreparedItem, WaitSettings>();

const rooms = new WeakMap<NodeRun, WaitingRoom>();

/** Reads "Wait Options" of an item that is to wait. */
export const prepareWait: RequestStep = (context, request) => {
	settingsOf.set(getPreparedItem(request), readWaitSettings(context));
};

/** As `prepareWait`, where "Wait for Completion" is on. */
export const prepareWaitIfWanted: RequestStep = (context, request) => {
	if (context.getNodeParameter('waitForCompletion', false) === true) prepareWait(context, request);
};

/** Waits for the video of an add that was accepted, if that is wanted. */
export async function waitForAddedVideo(
	context: IExecutePaginationFunctions,
	item: PreparedItem,
	output: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const { add } = item;
	const queueItem = output[0]?.json;
	if (!add || !queueItem || !settingsOf.has(item)) return output;
	const { status, generationProgress, renderProgress } = queueItem;
	add.finished ??= await wait(context, item, {
		queueId: add.queueId,
		projectId: readText(queueItem.projectId) || item.details.projectId,
		createdAt: readTime(queueItem.createdAt),
		details: { status: status ?? 'pending', generationProgress, renderProgress },
		onStatus: (seen) => {
			add.lastStatus = seen;
		},
	});
	return structuredClone(add.finished);
}

/** Waits for the video of a queue item that was added elsewhere. */
export async function waitForQueueItem(
	context: IExecutePaginationFunctions,
	item: PreparedItem,
): Promise<INodeExecutionData[]> {
	const { queueId = '' } = item.details;
	const projectId = readText(context.getNodeParameter('projectId', '', { extractValue: true }));
	return await wait(context, item, { queueId, projectId: projectId || undefined });
}

async function wait(
	context: IExecutePaginationFunctions,
	item: PreparedItem,
	known: {
		queueId: string;
		projectId?: string | undefined;
		createdAt?: number | undefined;
		details?: IDataObject;
		onStatus?: (status: string) => void;
	},
): Promise<INodeExecutionData[]> {
	const settings = settingsOf.get(item) ?? readWaitSettings(context);
	const video = await getRoom(context, item.run).waitFor({
		...known,
		...settings,
		maxTries: item.maxTries,
		readProgress: async () => await readProgress(context, known.queueId),
	});
	return [{ json: video }];
}

function getRoom(context: IExecutePaginationFunctions, run: NodeRun): WaitingRoom {
	const room =
		rooms.get(run) ??
		new WaitingRoom(
			async () =>
				requireList(await readFromApi(context, { url: '/v1/videos' }, WHOLE_LIST, 1), 'videos'),
			[context.getExecutionCancelSignal(), run.endSignal],
		);
	rooms.set(run, room);
	return room;
}

async function readProgress(
	context: IExecuteSingleFunctions,
	queueId: string,
): Promise<IDataObject> {
	const url = `/v1/queue/progress/${encodePathSegment(queueId) ?? ''}`;
	const body = await readFromApi(context, { url }, ONE_THING, 1);
	return requireField(Array.isArray(body) ? undefined : body, 'details', 'object');
}
