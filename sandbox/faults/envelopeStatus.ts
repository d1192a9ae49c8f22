import type { FaultKind } from './Fault';
import { changeJson } from './replies';

/** Replaces the word `success` of a good reply's envelope, for example with `Success` or `ok`. */
export const envelopeStatus: FaultKind<{ word: unknown }> = {
	options: { word: {} },
	required: ['word'],
	create: ({ word }) => ({
		after: (reply) =>
			changeJson(reply, (body) => {
				if (reply.status === 200) body.status = word;
			}),
	}),
};
