import type { IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import type { NodeRun } from '../request/nodeRun';
import type { PreparedItem } from '../request/prepareRequest';
import type { TakeSlot } from './createSlots';
import { createSlots, DOWNLOADS_AT_ONCE } from './createSlots';
import { downloadVideo } from './downloadVideo';
import { readDownloadFields } from './readDownloadFields';

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
