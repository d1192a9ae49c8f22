import { changeReplyObjects } from './changeReplyObjects';
import type { FaultKind } from './FaultKind';

/** Fields that no specification names, in the envelope and in every resource. */
export const extraFields: FaultKind<{ fields: Record<string, unknown> }> = {
	options: { fields: { type: 'object' } },
	required: ['fields'],
	create: ({ fields }) => ({
		after: (reply) => Promise.resolve(changeReplyObjects(reply, fields)),
	}),
};
