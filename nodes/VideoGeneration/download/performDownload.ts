import type { IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import type { NodeRun } from '../request/nodeRun';
import type { PreparedItem } from '../request/prepareRequest';
import type { TakeSlot } from './createSlots';
import { createSlots } from './createSlots';
import { downloadVideo } from './downloadVideo';
import { readDownloadFields } from './readDownloadFields';

/**
 * A few are enough to fill a line and to pass over a slow host. More of them finish no sooner, and
 * where n8n is set to keep files in memory, each file on its way is held there as a whole.
 */
export const DOWNLOADS_AT_ONCE = 4;

const slotsByRun = new WeakMap<NodeRun, TakeSlot>();

/** Does the work of "Video > Download" for one item. */
export async function performDownload(
	context: IExecutePaginationFunctions,
	{ run, maxTries, request }: PreparedItem,
): Promise<INodeExecutionData[]> {
	const { address, binaryPropertyName, fileName } = readDownloadFields(context);
	const takeSlot = slotsByRun.get(run) ?? createSlots(DOWNLOADS_AT_ONCE);
	slotsByRun.set(run, takeSlot);
	const file = await takeSlot(
		async () =>
			await downloadVideo(context, {
				address: address.href,
				fileName,
				retries: { maxTries, signals: [context.getExecutionCancelSignal(), run.endSignal] },
				settings: {
					proxy: request.proxy,
					skipSslCertificateValidation: request.skipSslCertificateValidation,
					timeout: request.timeout,
				},
			}),
	);
	const { json, binary } = context.getInputData();
	return [{ json: { ...json }, binary: { ...binary, [binaryPropertyName]: file } }];
}
