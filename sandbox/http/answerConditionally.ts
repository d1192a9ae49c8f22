import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../control/SandboxContext';

/**
 * Conditional requests for the routes with `config: { etag: true }` (RFC 9110, 13): a reply carries
 * an entity tag, and 304 answers a client that has it already. @fastify/etag cannot be switched while
 * it runs, knows neither lists of tags nor `*`, and also tags errors.
 */
export function answerConditionally(app: FastifyInstance, context: SandboxContext): void {
	app.addHook('onSend', (request, reply, payload, done) => {
		const { etags } = context.settings;
		const isTagged = request.routeOptions.config.etag === true && reply.statusCode === 200;
		if (!isTagged || etags === 'none' || typeof payload !== 'string') {
			done(null, payload);
			return;
		}
		const etag = etags === 'constant' ? '"constant"' : createTag(payload, etags === 'weak');
		reply.header('etag', etag);
		const wanted = request.headers['if-none-match'];
		if (wanted === undefined || !(etags === 'alwaysNotModified' || includesTag(wanted, etag))) {
			done(null, payload);
			return;
		}
		reply.code(304).removeHeader('content-type');
		done(null, null);
	});
}

function createTag(payload: string, isWeak: boolean): string {
	const hash = createHash('sha256').update(payload).digest('base64url');
	return `${isWeak ? 'W/' : ''}"${hash}"`;
}

/** If-None-Match compares weakly: `W/"1"` and `"1"` are the same (RFC 9110, 8.8.3.2). */
function includesTag(header: string, etag: string): boolean {
	if (header.trim() === '*') return true;
	const tags: string[] = header.match(/"[^"]*"/g) ?? [];
	return tags.includes(etag.replace('W/', ''));
}
