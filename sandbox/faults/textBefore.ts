import type { FaultKind } from './Fault';
import { omitHeader } from './replies';

const NOTICE = '<br />\n<b>Warning</b>: mail(): {"failed"} in /srv/add.php on line 7<br />\n';

/** Puts text before the body, by default a notice of the service's language. */
export const textBefore: FaultKind<{ text?: string }> = {
	options: { text: { type: 'string' } },
	create: ({ text = NOTICE }) => ({
		after: (reply) => {
			if (!Buffer.isBuffer(reply.body)) return reply;
			const headers = omitHeader(reply.headers, 'content-length');
			return { ...reply, headers, body: Buffer.concat([Buffer.from(text), reply.body]) };
		},
	}),
};
