import type { IBinaryData, IDataObject, INodeExecutionData, IPollFunctions } from 'n8n-workflow';
import { describeFailure } from '../failures/describeFailure';
import { pause } from '../request/pause';
import { readFailure } from '../failures/readFailure';
import { DEFAULT_MAX_TRIES } from '../request/requestDefaults';
import { createSlots, DOWNLOADS_AT_ONCE } from './createSlots';
import { VIDEO_HOST } from './downloadPolicy';
import { downloadVideo } from './downloadVideo';

/** Older n8n, such as 2.36, does not say how long a poll may take. */
const USUAL_BUDGET_MS = 300_000;

/** The trigger has no field for the address. */
const HOST_OF_NEW_VIDEO = {
	...VIDEO_HOST,
	fields: 'url',
	rateLimitAdvice: 'Download it later in the workflow with Video > Download.',
};

/** So much of the time that n8n gives a poll is left to start the execution. */
const MARGIN_MS = 10_000;

/**
 * Downloads the files of new videos, each as binary of its item. A file that cannot be had keeps no
 * video back: its item comes without it, and says why in `downloadError`, so that the workflow can
 * try again with Video > Download. For whoever has been told of a video once is never told again.
 */
export async function attachVideoFiles(
	context: IPollFunctions,
	videos: IDataObject[],
	binaryPropertyName: string,
): Promise<INodeExecutionData[]> {
	const { getPollBudgetMs = () => USUAL_BUDGET_MS } = context as Partial<IPollFunctions>;
	const end = new AbortController();
	const done = new AbortController();
	void pause(getPollBudgetMs.call(context) - MARGIN_MS, [done.signal]).then((isOver) => {
		if (isOver) end.abort();
	});
	const takeSlot = createSlots(DOWNLOADS_AT_ONCE);
	const items = await Promise.all(
		videos.map(
			async (video) =>
				await takeSlot(async () => await attach(context, video, end.signal, binaryPropertyName)),
		),
	);
	done.abort();
	return items;
}

async function attach(
	context: IPollFunctions,
	video: IDataObject,
	signal: AbortSignal,
	binaryPropertyName: string,
): Promise<INodeExecutionData> {
	const retries = { maxTries: DEFAULT_MAX_TRIES, signals: [signal] };
	return await downloadVideo(context, { address: video.url, retries }).then(
		(file: IBinaryData) => ({ json: video, binary: { [binaryPropertyName]: file } }),
		(reason: unknown) => ({ json: { ...video, downloadError: explain(reason) } }),
	);
}

function explain(reason: unknown): IDataObject {
	const failure = readFailure(reason);
	if (failure.kind === 'cancelled') {
		return {
			message: 'The video was not downloaded in the time that n8n gives a poll',
			description: 'Download it in the workflow with Video > Download, which has no such limit.',
		};
	}
	if (failure.kind === 'unsent') {
		return {
			message: 'The url of the video is no web address',
			description:
				'Get the video again with Video > Get Many, and download it with Video > Download.',
		};
	}
	return { ...describeFailure(failure, HOST_OF_NEW_VIDEO) };
}
