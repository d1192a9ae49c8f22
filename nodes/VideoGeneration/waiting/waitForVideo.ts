import type { IDataObject } from 'n8n-workflow';
import type { AccountRequests, AccountVideos, TrackedItem } from './runVideos';
import type { StatusWords } from './status';
export interface WaitSettings {
	intervalMs: number;
	timeoutMs: number;
	words: StatusWords;
	binaryPropertyName: string | undefined;
}
export async function waitForVideo(
	_wait: Omit<WaitSettings, 'binaryPropertyName'> & {
		account: AccountVideos;
		item: TrackedItem;
		queueId: string;
		details?: IDataObject;
		maxTries: number;
		requests: AccountRequests;
		onDetails?: (details: IDataObject) => void;
	},
): Promise<IDataObject> {
	return await Promise.resolve({});
}
