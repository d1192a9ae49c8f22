import axios, { type AxiosInstance } from 'axios';
import type { Sandbox } from '../../../sandbox/Sandbox';

/**
 * Creates an HTTP client for one account, the main one by default, that accepts every reply: it
 * does not throw for error statuses, follow redirects or check anything.
 */
export function createBareClient(sandbox: Sandbox, apiKey: string = sandbox.apiKey): AxiosInstance {
	return axios.create({
		baseURL: sandbox.url,
		headers: { Authorization: `Bearer ${apiKey}` },
		maxRedirects: 0,
		proxy: false,
		validateStatus: () => true,
	});
}
