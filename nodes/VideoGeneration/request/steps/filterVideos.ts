import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { selectVideos } from './selectVideos';
import { readVideoFilter } from './readVideoFilter';

/** The video logs that the Filters let through, newest first: the API itself has no parameters. */
export async function filterVideos(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	const videos = selectVideos(
		items.map(({ json }) => json),
		readVideoFilter(this),
	);
	return await Promise.resolve(videos.map((json) => ({ json })));
}
