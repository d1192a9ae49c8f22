import type { FastifyInstance, FastifyRequest } from 'fastify';
import type { Controls } from '../control/controls';
import { ServiceError } from '../domain/model';

/** The hosts by which this machine reaches itself. */
const LOOPBACK = ['127.0.0.1', 'localhost'];

/** Registers POST /_sandbox/{name}: a control by its name, with its arguments as a JSON list. */
export function registerControlRoutes(app: FastifyInstance, controls: Controls): void {
	const named = controls as unknown as Record<string, (...args: unknown[]) => unknown>;
	app.post<{ Params: { name: string } }>(
		'/_sandbox/:name',
		{
			onRequest: (request, _reply, done) => {
				refuseWebPages(request);
				done();
			},
		},
		({ params: { name }, rawBody }) => {
			if (!Object.hasOwn(controls, name)) throw new ServiceError(404, `There is no ${name}`);
			return { result: named[name]?.(...(JSON.parse(rawBody || '[]') as unknown[])) ?? null };
		},
	);
}

/**
 * Any web page that is open on this machine can send requests here: to the loopback address, and the `Origin` tells
 * of it, or to a host of its own whose name leads to the loopback address (DNS rebinding).
 *
 * @throws ServiceError 403
 */
function refuseWebPages({ headers: { origin }, protocol, host, hostname }: FastifyRequest): void {
	if (!LOOPBACK.includes(hostname)) {
		const hosts = LOOPBACK.join(' and ');
		throw new ServiceError(403, `Controls take requests for ${hosts}, not for ${hostname}`);
	}
	if (origin !== undefined && origin !== `${protocol}://${host}`) {
		throw new ServiceError(403, `Controls take no requests of web pages (Origin: ${origin})`);
	}
}
