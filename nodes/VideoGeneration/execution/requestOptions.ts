import type { IExecuteFunctions, IExecuteSingleFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { MAX_TIMER_MS } from '../api/pacing';
import type { ConnectionSettings } from '../api/request';
import { createInputError, getCollection, parseNumber } from './parameters';

const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 };

/** n8n's "Batching": the number of items that start at once, and the pause between batches (0 for none). */
export interface Batching {
	size: number;
	intervalMs: number;
}

/** @throws a NodeOperationError when one of its fields is not a number */
export function getBatching(context: IExecuteFunctions): Batching {
	const { batch } = (context.getNodeParameter('requestOptions.batching', 0, {}) ?? {}) as {
		batch?: Record<string, unknown> | null;
	};
	// A field that is there and empty is no number: a misspelt column must not switch it off.
	const get = (name: string, label: string) =>
		batch && name in batch ? getCount(context, parseNumber(batch[name]) ?? NaN, label) : 0;
	return {
		size: get('batchSize', 'Items per Batch') || 1,
		intervalMs: get('batchInterval', 'Batch Interval (ms)'),
	};
}

/**
 * The user's settings for an item's requests, in n8n's own "Request Options".
 *
 * @throws a NodeOperationError when the timeout or the proxy's address cannot be used
 */
export function getConnection(context: IExecuteSingleFunctions): ConnectionSettings {
	const settings = getCollection(context, 'requestOptions');
	const { proxy, allowUnauthorizedCerts } = settings;
	const timeout = getCount(context, settings.timeout, 'Timeout');
	const isProxied = proxy !== undefined && proxy !== null && proxy !== '';
	return {
		...(timeout > 0 ? { timeout } : {}),
		...(isProxied ? { proxy: parseProxy(context, proxy) } : {}),
		...(allowUnauthorizedCerts === true ? { skipSslCertificateValidation: true } : {}),
	};
}

/**
 * Rounds to a whole number that fits into a timer; 0 without a value, or for a negative one.
 *
 * @throws a NodeOperationError when the value is not a number
 */
function getCount(
	context: IExecuteFunctions | IExecuteSingleFunctions,
	value: unknown,
	label: string,
): number {
	const number = Math.round(parseNumber(value) ?? 0);
	if (!Number.isNaN(number)) return Math.min(Math.max(number, 0), MAX_TIMER_MS);
	throw createInputError(
		context,
		`'${label}' must be a number`,
		`Correct '${label}' under 'Request Options'. Nothing was sent.`,
	);
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
