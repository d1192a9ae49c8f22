import { changeReplyJson } from './changeReplyJson';
import type { FaultKind } from './FaultKind';

/** A good reply whose envelope says another word than `success`, such as `Success` or `ok`. */
export const envelopeStatus: FaultKind<{ word: unknown }> = {
	options: { word: {} },
	required: ['word'],
	create: ({ word }) => ({
		after: (reply) =>
			Promise.resolve(
				reply.status === 200
					? changeReplyJson(reply, (body) => {
							body.status = word;
						})
					: reply,
			),
	}),
};
