import type { IExecutePaginationFunctions, INodeExecutionData } from 'n8n-workflow';
import type { FailureContext } from '../failures/FailureText';
import type { NodeRun } from '../request/nodeRun';
import type { OperationPolicy, PreparedItem } from '../request/prepareRequest';
import { downloadItem } from './downloadItem';
import type { TakeSlot } from './downloadVideo';
import { createSlots, DOWNLOADS_AT_ONCE } from './downloadVideo';

// Joins downloads to request/ as it is today, where no argument can hand the slots of a run over.
const slotsByRun = new WeakMap<NodeRun, TakeSlot>();

/** Words an error for the video's host, which is not the video service. */
export const VIDEO_HOST: FailureContext = { requestKind: 'read', isOfVideoHost: true };

/** Requests the video from its host instead of the service. */
export const DOWNLOAD: OperationPolicy = { ...VIDEO_HOST, perform: performDownload };

async function performDownload(
	context: IExecutePaginationFunctions,
	{ run, maxTries, request }: PreparedItem,
): Promise<INodeExecutionData[]> {
	const takeSlot = slotsByRun.get(run) ?? createSlots(DOWNLOADS_AT_ONCE);
	slotsByRun.set(run, takeSlot);
	const signals = [context.getExecutionCancelSignal(), run.endSignal];
	const { proxy, skipSslCertificateValidation, timeout } = request;
	return await downloadItem(
		context,
		{
			retries: {
				maxTries,
				signal: AbortSignal.any(signals.filter((signal) => signal !== undefined)),
			},
			settings: { proxy, skipSslCertificateValidation, timeout },
		},
		takeSlot,
	);
}
