import type { AddressInfo } from 'node:net';
import { createContext, type SandboxOptions } from './control/context';
import { createControls } from './control/controls';
import type { RecordedRequest } from './control/requestLog';
import { SEED_ACCOUNTS } from './domain/SEED_ACCOUNTS';
import { SEED_PROJECTS } from './domain/SEED_PROJECTS';
import { createServer } from './http/server';

/**
 * Starts a local video service on the loopback address.
 *
 * @throws Error with `code` `EADDRINUSE` if the port is in use
 */
export async function startSandbox({ port: wantedPort = 0, ...options }: SandboxOptions = {}) {
	const context = createContext(options);
	const controls = createControls(context);
	const app = await createServer(context, controls);
	await app.listen({ host: '127.0.0.1', port: wantedPort });
	const { address, port } = app.server.address() as AddressInfo;
	return {
		...controls,
		/** Base URL, without a trailing slash. */
		url: `http://${address}:${port}`,
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
		get requests(): readonly RecordedRequest[] {
			return context.requests.list;
		},
		/**
		 * Calls a listener with each request that has been read, before it is processed.
		 *
		 * @returns a function that removes the listener
		 */
		onRequest: context.requests.listen.bind(context.requests),
		/** @throws Error after `timeoutMs` (5000 by default) of real time */
		waitForRequests: context.requests.waitFor.bind(context.requests),
		/** All routes: `GET /v1/queue/progress/:queueId`. */
		routes: app.routes,
		/** Stops listening and breaks open connections. */
		close: async () => {
			await app.close();
		},
	};
}
