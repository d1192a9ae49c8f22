import type { AxiosInstance, AxiosResponse } from 'axios';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { createBareClient } from './createBareClient';
import { createReplyChecker } from './createReplyChecker';

const checkReply = createReplyChecker();

/**
 * Creates an HTTP client for one account, the main one by default, that checks every reply of the
 * API against `docs/openapi.yaml`. It does not throw for error statuses or follow redirects.
 *
 * @param onReply receives the name of each reply, such as `GET /v1/videos 200`
 */
export function createSandboxClient(
	sandbox: Sandbox,
	apiKey: string = sandbox.apiKey,
	onReply: (name: string) => void = () => undefined,
): AxiosInstance {
	const client = createBareClient(sandbox, apiKey);
	client.interceptors.response.use(async (response: AxiosResponse<unknown>) => {
		const name = await checkReply({
			method: (response.config.method ?? 'get').toUpperCase(),
			url: (response.config.url ?? '').replace(sandbox.url, ''),
			status: response.status,
			contentType: String(response.headers['content-type']),
			body: response.data,
		});
		onReply(name);
		return response;
	});
	return client;
}
