import type { AddressInfo } from 'node:net';
import { createContext, type SandboxOptions } from './control/context';
import { createControls } from './control/controls';
import { type RecordedRequest, waitForRequests, type WantedRequests } from './control/requestLog';
import { SEED_ACCOUNTS } from './domain/SEED_ACCOUNTS';
import { SEED_PROJECTS } from './domain/SEED_PROJECTS';
import type { Outcome } from './faults/Fault';
import { createServer } from './http/server';

/**
 * Starts a local video service on the loopback address.
 *
 * @throws Error with `code` `EADDRINUSE` if the port is in use
 */
export async function startSandbox(options: SandboxOptions = {}) {
	const context = createContext(options);
	const controls = createControls(context);
	const app = await createServer(context, controls);
	await app.listen({ host: '127.0.0.1', port: options.port ?? 0 });
	const { port } = app.server.address() as AddressInfo;
	return {
		...controls,
		/** Base URL, without a trailing slash. */
		url: `http://127.0.0.1:${port}`,
		port,
		/** Key of the main account. */
		apiKey: options.apiKey ?? SEED_ACCOUNTS.main.apiKey,
		accounts: SEED_ACCOUNTS,
		projects: SEED_PROJECTS,
		clock: context.clock,
		/** Accepted adds since the start or the last `reset`, in order. */
		get charges() {
			return context.store.charges;
		},
		/** Requests since the start, the last `clearRequests` or `reset`, oldest first. */
		get requests() {
			return context.requests.list();
		},
		/**
		 * Calls `listener` with each request that has been read, before it is processed.
		 *
		 * @returns a function that removes the listener
		 */
		onRequest: (listener: (request: RecordedRequest) => void) =>
			context.requests.listen((request, event) => {
				if (event === 'received') listener(request);
			}),
		/** Calls `listener` with each outcome just before it is sent. Only the client may read a stream. */
		onReply: (listener: (request: RecordedRequest, outcome: Outcome) => void) =>
			context.requests.listen((request, event, outcome) => {
				if (event === 'replied' && outcome !== undefined) listener(request, outcome);
			}),
		/** All routes, in fastify's notation. */
		routes: context.routes,
		/** @throws Error after `timeoutMs` (5000 by default) of real time */
		waitForRequests: (wanted: WantedRequests) => waitForRequests(context.requests, wanted),
		/** Stops listening and breaks open connections. */
		close: async () => {
			await app.close();
		},
	};
}
