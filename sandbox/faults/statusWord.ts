import { changeReplyJson } from './changeReplyJson';
import type { FaultKind } from './FaultKind';

interface StatusWordOptions {
	word: string;
	/** Replace this word only; otherwise every one. */
	insteadOf?: string;
	/** Also give the item a `videoUrl`, as a service may that finishes without saying so. */
	videoUrl?: string;
}

/** Queue items have another status word than the sandbox's own. */
export const statusWord: FaultKind<StatusWordOptions> = {
	options: {
		word: { type: 'string' },
		insteadOf: { type: 'string' },
		videoUrl: { type: 'string' },
	},
	required: ['word'],
	create: (options) => ({
		after: (reply) =>
			Promise.resolve(
				changeReplyJson(reply, (body) => {
					changeItem(body.details, options);
					changeItem(body.newQueueItem, options);
				}),
			),
	}),
};

function changeItem(item: unknown, { word, insteadOf, videoUrl }: StatusWordOptions): void {
	if (typeof item !== 'object' || item === null || !('status' in item)) return;
	if (insteadOf !== undefined && item.status !== insteadOf) return;
	Object.assign(item, { status: word }, videoUrl === undefined ? {} : { videoUrl });
}
