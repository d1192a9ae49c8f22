import type { IDataObject } from 'n8n-workflow';
import type { VideoLog } from '../api/endpoints';
export interface AccountRequests {
	fetchLog: (etag: string | undefined) => Promise<VideoLog>;
	fetchProgress: (queueId: string) => Promise<IDataObject>;
	signal: AbortSignal;
}
export interface TrackedItem {
	queueId: string;
}
export class AccountVideos {
	async readBeforeAdd(_requests: AccountRequests): Promise<void> {}
	tick(): number {
		return 0;
	}
	track(known: {
		queueId: string;
		projectId?: string | undefined;
		runningAt?: number | undefined;
	}): TrackedItem {
		return known;
	}
}
export function getAccountVideos(_run: object, _account: string): AccountVideos {
	return new AccountVideos();
}
