import type { AddressInfo } from 'node:net';
import { createContext, type SandboxOptions } from './control/context';
import { createControls } from './control/controls';
import { waitForRequests } from './control/requestLog';
import { SEED_ACCOUNTS } from './domain/SEED_ACCOUNTS';
import { SEED_PROJECTS } from './domain/SEED_PROJECTS';
import { createServer } from './http/server';
import { listenWithTls } from './http/tlsServer';
import type { Sandbox } from './Sandbox';

/**
 * Starts a local video service on the loopback address.
 *
 * @throws Error with `code` `EADDRINUSE` if the port is in use
 */
export async function startSandbox(options: SandboxOptions = {}): Promise<Sandbox> {
	const context = createContext(options);
	const controls = createControls(context);
	const app = await createServer(context, controls);
	await app.listen({ host: '127.0.0.1', port: options.port ?? 0 });
	const { port } = app.server.address() as AddressInfo;
	const tls = options.certificate && (await listenWithTls(app.server, options.certificate));
	return {
		...controls,
		url: `http://127.0.0.1:${port}`,
		port,
		tlsUrl: tls && `https://127.0.0.1:${tls.port}`,
		apiKey: options.apiKey ?? SEED_ACCOUNTS.main.apiKey,
		accounts: SEED_ACCOUNTS,
		projects: SEED_PROJECTS,
		clock: context.clock,
		get charges() {
			return context.store.charges;
		},
		get requests() {
			return context.requests.list();
		},
		onRequest: (listener) =>
			context.requests.listen((request, event) => {
				if (event === 'received') listener(request);
			}),
		onReply: (listener) =>
			context.requests.listen((request, event, outcome) => {
				if (event === 'replied' && outcome !== undefined) listener(request, outcome);
			}),
		routes: context.routes,
		waitForRequests: (wanted) => waitForRequests(context.requests, wanted),
		close: async () => {
			await tls?.close();
			await app.close();
		},
	};
}
