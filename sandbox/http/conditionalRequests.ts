import { createHash } from 'node:crypto';
import type { FastifyInstance } from 'fastify';
import type { SandboxContext } from '../control/context';

/**
 * Handles conditional requests to routes with `config: { etag: true }` (RFC 9110, 13). The package
 * @fastify/etag cannot be switched at run time, does not support lists of tags or `*`, and tags
 * errors too.
 */
export function answerConditionally(app: FastifyInstance, context: SandboxContext): void {
	app.addHook('onSend', (request, reply, payload, done) => {
		const { etags } = context.store.settings;
		const isTagged = request.routeOptions.config.etag === true && reply.statusCode === 200;
		if (!isTagged || etags === 'none' || typeof payload !== 'string') {
			done(null, payload);
			return;
		}
		const tag = `"${createHash('sha1').update(payload).digest('base64url')}"`;
		reply.header('etag', etags === 'weak' ? `W/${tag}` : tag);
		// The comparison is weak: `W/"1"` matches `"1"` (RFC 9110, 8.8.3.2).
		const condition = request.headers['if-none-match'] ?? '';
		const known: string[] = condition.match(/"[^"]*"/g) ?? [];
		if (condition.trim() !== '*' && !known.includes(tag)) {
			done(null, payload);
			return;
		}
		reply.code(304).removeHeader('content-type');
		done(null, null);
	});
}
