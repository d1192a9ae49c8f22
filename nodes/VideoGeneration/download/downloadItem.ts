import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { parseText } from '../parameters';
import { readParameter } from '../request/readParameter';
import type { TakeSlot, VideoDownload } from './downloadVideo';
import { downloadVideo } from './downloadVideo';
import type { DownloadContext } from './fetchVideo';
import { parseVideoAddress } from './videoAddress';

export interface DownloadFields {
	address: URL;
	/** The name of the binary field that receives the file. */
	binaryPropertyName: string;
	fileName: string;
}

/**
 * The fields of "Video > Download".
 *
 * @throws a NodeOperationError that names the field to correct
 */
export function getDownloadFields(context: IExecuteSingleFunctions): DownloadFields {
	const fail = (message: string, description: string) =>
		new NodeOperationError(context.getNode(), message, {
			itemIndex: context.getItemIndex(),
			description: `${description} Nothing was sent.`,
		});
	const videoUrl = readParameter(context, 'videoUrl');
	if (parseText(videoUrl) === '') {
		throw fail(
			'"Video URL" is empty',
			'Enter the URL of a video, as Video > Get Many returns it. If it is an expression, check that it finds a value for this item.',
		);
	}
	const address = parseVideoAddress(videoUrl);
	if (address === undefined) {
		throw fail(
			'"Video URL" is not a web address',
			'Enter an address that begins with http:// or https://, without a user name or password, such as the URL that Video > Get Many returns.',
		);
	}
	const binaryPropertyName = parseText(context.getNodeParameter('binaryPropertyName', 'data'));
	if (binaryPropertyName === undefined || binaryPropertyName === '') {
		throw fail(
			`"Put Output File in Field" is ${binaryPropertyName === '' ? 'empty' : 'not text'}`,
			'Enter the name of the field to put the file in, such as data.',
		);
	}
	const fileName = parseText(context.getNodeParameter('options.fileName', ''));
	if (fileName === undefined) {
		throw fail('"File Name" is not text', 'Enter a name such as product-teaser.mp4.');
	}
	return { address, binaryPropertyName, fileName };
}

/**
 * Downloads the video of one item.
 *
 * @returns the item's fields and files, with the video's file beside them
 * @throws a RequestFailure, whose texts are those of a download
 */
export async function downloadItem(
	context: IExecuteSingleFunctions & DownloadContext,
	download: Pick<VideoDownload, 'retries' | 'settings'>,
	takeSlot: TakeSlot,
): Promise<INodeExecutionData[]> {
	const { address, binaryPropertyName, fileName } = getDownloadFields(context);
	const file = await takeSlot(
		async () => await downloadVideo(context, { address: address.href, fileName, ...download }),
	);
	const { json, binary } = context.getInputData();
	return [{ json: { ...json }, binary: { ...binary, [binaryPropertyName]: file } }];
}
