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
		const etag = etags === 'constant' ? '"constant"' : createTag(payload, etags === 'weak');
		reply.header('etag', etag);
		const condition = request.headers['if-none-match'];
		const isKnown = etags === 'alwaysNotModified' || matches(condition, etag);
		if (condition === undefined || !isKnown) {
			done(null, payload);
			return;
		}
		reply.code(304).removeHeader('content-type');
		done(null, null);
	});
}

function createTag(payload: string, isWeak: boolean): string {
	const hash = createHash('sha1').update(payload).digest('base64url');
	return `${isWeak ? 'W/' : ''}"${hash}"`;
}

/** If-None-Match compares weakly: `W/"1"` matches `"1"` (RFC 9110, 8.8.3.2). */
function matches(condition = '', etag: string): boolean {
	if (condition.trim() === '*') return true;
	const tags: string[] = condition.match(/"[^"]*"/g) ?? [];
	return tags.includes(etag.replace('W/', ''));
}
