import { changeReplyObjects } from './changeReplyObjects';
import type { FaultKind } from './FaultKind';

/** A success that has an `error` key: an empty text by default, as services write "no error". */
export const errorKey: FaultKind<{ value?: unknown }> = {
	options: { value: {} },
	create: ({ value = '' }) => ({
		after: (reply) => Promise.resolve(changeReplyObjects(reply, { error: value })),
	}),
};
