import { createRequire } from 'node:module';
import { readInstallation } from '../../support/e2e/PLACES';

/** The used part of the official MCP SDK, which n8n's installation contains. */
interface Sdk {
	Client: new (info: object) => {
		connect(transport: object): Promise<void>;
		close(): Promise<void>;
		callTool(call: object): Promise<{ content: { text?: string }[] }>;
	};
	StreamableHTTPClientTransport: new (address: URL, options: { requestInit: object }) => object;
}

export type McpClient = Awaited<ReturnType<typeof connectMcp>>;

/**
 * Connects a client of the Model Context Protocol, like that of an assistant.
 * @throws the SDK's error if the server refuses the token
 */
export async function connectMcp(address: string, token = '') {
	const load = createRequire(readInstallation().n8n);
	const { Client, StreamableHTTPClientTransport } = {
		...load('@modelcontextprotocol/sdk/client/index.js'),
		...load('@modelcontextprotocol/sdk/client/streamableHttp.js'),
	} as Sdk;
	const client = new Client({ name: 'test', version: '1.0.0' });
	const requestInit = { headers: { Authorization: `Bearer ${token}` } };
	await client.connect(new StreamableHTTPClientTransport(new URL(address), { requestInit }));
	return {
		close: async () => {
			await client.close();
		},
		/** @returns the text of the result */
		call: async (name: string, input: object = {}): Promise<string> => {
			const { content } = await client.callTool({ name, arguments: input });
			return content.map(({ text = '' }) => text).join('\n');
		},
	};
}
