import type { IExecuteFunctions, IExecuteSingleFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { MAX_TIMER_MS } from '../api/pacing';
import type { ConnectionSettings } from '../api/request';
import { createInputError, getCollection, parseNumber } from './parameters';

const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 };

/** n8n's "Batching": the number of items that start at once, and the pause between batches (0 for none). */
export function getBatching(context: IExecuteFunctions): { size: number; intervalMs: number } {
	const { batch } = (context.getNodeParameter('requestOptions.batching', 0, {}) ?? {}) as {
		batch?: { batchSize?: unknown; batchInterval?: unknown } | null;
	};
	return { size: toCount(batch?.batchSize) || 1, intervalMs: toCount(batch?.batchInterval) };
}

/**
 * The user's settings for an item's requests, in n8n's own "Request Options".
 *
 * @throws a NodeOperationError when the proxy's address cannot be used
 */
export function getConnection(context: IExecuteSingleFunctions): ConnectionSettings {
	const settings = getCollection(context, 'requestOptions');
	const { proxy, allowUnauthorizedCerts } = settings;
	const timeout = toCount(settings.timeout);
	const isProxied = proxy !== undefined && proxy !== null && proxy !== '';
	return {
		...(timeout > 0 ? { timeout } : {}),
		...(isProxied ? { proxy: parseProxy(context, proxy) } : {}),
		...(allowUnauthorizedCerts === true ? { skipSslCertificateValidation: true } : {}),
	};
}

/** Rounds to a whole number that fits into a timer; 0 unless the value is a positive number. */
function toCount(value: unknown): number {
	const number = Math.round(parseNumber(value) ?? 0);
	return number > 0 ? Math.min(number, MAX_TIMER_MS) : 0;
}

function parseProxy(
	context: IExecuteSingleFunctions,
	address: unknown,
): NonNullable<IHttpRequestOptions['proxy']> {
	try {
		const { protocol, hostname, port, username, password } = new URL(String(address));
		const defaultPort = DEFAULT_PORTS[protocol];
		if (defaultPort === undefined) throw new Error(`${protocol} is not the protocol of a proxy`);
		const auth = {
			username: decodeURIComponent(username),
			password: decodeURIComponent(password),
		};
		return {
			host: hostname,
			port: Number(port) || defaultPort,
			protocol: protocol.slice(0, -1),
			...(username === '' ? {} : { auth }),
		};
	} catch {
		throw createInputError(
			context,
			"'Proxy' must be an address",
			"Enter 'Proxy' under 'Request Options' as http://proxy.example.com:3128. Nothing was sent.",
		);
	}
}
