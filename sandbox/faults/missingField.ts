import type { FaultKind } from './Fault';
import { changeJson } from './replies';

/** Leaves a field out. `field` may be a path: `newQueueItem.queueId`, `videos.0.id`. */
export const missingField: FaultKind<{ field: string }> = {
	options: { field: { type: 'string', minLength: 1 } },
	required: ['field'],
	create: ({ field }) => ({
		after: (reply) =>
			changeJson(reply, (body) => {
				removeField(body, field);
			}),
	}),
};

function removeField(body: Record<string, unknown>, field: string): void {
	const path = field.split('.');
	const last = path.pop() ?? field;
	let holder: unknown = body;
	for (const name of path) {
		if (typeof holder !== 'object' || holder === null) return;
		holder = (holder as Record<string, unknown>)[name];
	}
	if (typeof holder === 'object' && holder !== null) Reflect.deleteProperty(holder, last);
}
