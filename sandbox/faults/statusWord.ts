import type { FaultKind } from './Fault';
import { changeJson } from './replies';

interface StatusWordOptions {
	word: string;
	/** Replaces only this word; by default every word. */
	insteadOf?: string;
	/** Also adds a `videoUrl`: a service may send one without saying that the item is finished. */
	videoUrl?: string;
}

/** Replaces the status word of queue items. */
export const statusWord: FaultKind<StatusWordOptions> = {
	options: {
		word: { type: 'string' },
		insteadOf: { type: 'string' },
		videoUrl: { type: 'string' },
	},
	required: ['word'],
	create: (options) => ({
		after: (reply) =>
			changeJson(reply, (body) => {
				changeItem(body.details, options);
				changeItem(body.newQueueItem, options);
			}),
	}),
};

function changeItem(item: unknown, { word, insteadOf, videoUrl }: StatusWordOptions): void {
	if (typeof item !== 'object' || item === null || !('status' in item)) return;
	if (insteadOf !== undefined && item.status !== insteadOf) return;
	Object.assign(item, { status: word }, videoUrl === undefined ? {} : { videoUrl });
}
