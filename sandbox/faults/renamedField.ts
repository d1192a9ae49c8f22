import type { FaultKind } from './Fault';
import { changeResources } from './replies';

/** Gives a field of every resource another name. */
export const renamedField: FaultKind<{ field: string; to: string }> = {
	options: { field: { type: 'string', minLength: 1 }, to: { type: 'string', minLength: 1 } },
	required: ['field', 'to'],
	create: ({ field, to }) => ({
		after: (reply) =>
			changeResources(reply, (resource) => {
				if (!(field in resource)) return;
				resource[to] = resource[field];
				Reflect.deleteProperty(resource, field);
			}),
	}),
};
