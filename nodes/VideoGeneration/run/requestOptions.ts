import type { IExecuteFunctions, IExecuteSingleFunctions, IHttpRequestOptions } from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { LONGEST_ANSWER_MS } from '../request/requestDefaults';

/** What n8n adds to every declarative node, as "Request Options"; its batching is read apart. */
interface RequestOptions {
	proxy?: string;
	timeout?: number;
	allowUnauthorizedCerts?: boolean;
}

interface Batching {
	batch?: { batchSize?: number; batchInterval?: number };
}

const DEFAULT_PORTS: Record<string, number> = { 'http:': 80, 'https:': 443 };

/** How many items are sent at once, and the pause after them (milliseconds, 0 for none). */
export function readBatching(context: IExecuteFunctions): { size: number; intervalMs: number } {
	const batching = context.getNodeParameter('requestOptions.batching', 0, {}) as Batching;
	const { batchSize = 0, batchInterval = 0 } = batching.batch ?? {};
	return { size: batchSize > 0 ? batchSize : 1, intervalMs: batchInterval };
}

/**
 * The part of an item's request that the user sets in n8n's own options.
 *
 * @throws a NodeOperationError when the proxy's address cannot be used
 */
export function readRequestOptions(context: IExecuteSingleFunctions): Partial<IHttpRequestOptions> {
	const {
		proxy = '',
		timeout = 0,
		allowUnauthorizedCerts = false,
	} = context.getNodeParameter('requestOptions', {}) as RequestOptions;
	return {
		timeout: timeout > 0 ? timeout : LONGEST_ANSWER_MS,
		...(proxy === '' ? {} : { proxy: parseProxy(context, proxy) }),
		...(allowUnauthorizedCerts ? { skipSslCertificateValidation: true } : {}),
	};
}

function parseProxy(
	context: IExecuteSingleFunctions,
	address: string,
): NonNullable<IHttpRequestOptions['proxy']> {
	try {
		const { protocol, hostname, port, username, password } = new URL(address);
		const defaultPort = DEFAULT_PORTS[protocol];
		if (defaultPort === undefined) throw new Error(`${protocol} is no protocol of a proxy`);
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
		throw new NodeOperationError(context.getNode(), 'The address of the proxy cannot be used', {
			itemIndex: context.getItemIndex(),
			description:
				'Enter "Proxy" under Request Options as http://proxy.example.com:3128. Nothing was sent.',
		});
	}
}
