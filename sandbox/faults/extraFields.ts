import type { FaultKind } from './Fault';
import { addFields } from './replies';

/** Adds unspecified fields to the envelope and every resource. */
export const extraFields: FaultKind<{ fields: Record<string, unknown> }> = {
	options: { fields: { type: 'object' } },
	required: ['fields'],
	create: ({ fields }) => ({ after: (reply) => addFields(reply, fields) }),
};
