import axios, { type AxiosInstance } from 'axios';
import type { Sandbox } from '../../../sandbox/Sandbox';

/**
 * An HTTP client for one account, the main one by default, that takes every reply as it comes: no
 * status throws, no redirect is followed, nothing is checked. For replies that are broken on purpose.
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
