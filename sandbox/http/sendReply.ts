import type { ServerResponse } from 'node:http';
import { Readable } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import type { RecordedRequest } from '../control/requestLog';
import type { Outcome, Reply } from '../faults/Fault';

/** Sends a reply exactly as given, even if it is inconsistent. Ignores clients that close early. */
export async function sendReply(
	response: ServerResponse,
	reply: Outcome,
	record: RecordedRequest,
): Promise<void> {
	if (reply === 'hang') return;
	if (reply === 'reset') {
		record.broken = true;
		response.socket?.resetAndDestroy();
		return;
	}
	if ('bytes' in reply) {
		record.broken = true;
		response.socket?.end(reply.bytes);
		return;
	}
	record.status = reply.status;
	response.writeHead(reply.status, completeHeaders(reply));
	if (reply.breaks === true) record.broken = true;
	if (reply.body instanceof Readable) {
		await pipeline(reply.body, response, { end: reply.breaks !== true }).catch(() => undefined);
	} else if (reply.breaks === true) {
		response.write(reply.body);
	} else {
		response.end(reply.body);
	}
	if (reply.breaks === true) response.socket?.destroySoon();
}

function completeHeaders({ status, headers, body, chunked }: Reply): Record<string, string> {
	if (chunked === true) return { ...headers, 'transfer-encoding': 'chunked' };
	const hasLength = body instanceof Readable || 'content-length' in headers;
	if (hasLength || status === 304) return headers;
	return { ...headers, 'content-length': String(body.length) };
}
