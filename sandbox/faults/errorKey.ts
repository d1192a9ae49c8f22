import type { FaultKind } from './Fault';
import { addFields } from './replies';

/** Adds an `error` key to a success; it is empty by default, as services write "no error". */
export const errorKey: FaultKind<{ value?: unknown }> = {
	options: { value: {} },
	create: ({ value = '' }) => ({ after: (reply) => addFields(reply, { error: value }) }),
};
