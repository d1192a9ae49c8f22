import { createRequire } from 'node:module';
import { readProvided } from '../../support/e2e/provided';

/** The used part of the official MCP SDK, which n8n's installation contains. */
interface Sdk {
	Client: new (info: { name: string; version: string }) => SdkClient;
	StreamableHTTPClientTransport: new (address: URL, options: { requestInit: object }) => object;
}

interface SdkClient {
	connect(transport: object): Promise<void>;
	close(): Promise<void>;
	callTool(call: { name: string; arguments: object }): Promise<{
		content: { text?: string }[];
	}>;
}

/** A client of the Model Context Protocol, like that of an assistant. */
export class McpClient {
	private constructor(private readonly client: SdkClient) {}

	/** @throws the SDK's error if the server refuses the token */
	static async connect(address: string, token: string): Promise<McpClient> {
		const require = createRequire(readProvided().n8n);
		const { Client, StreamableHTTPClientTransport } = {
			...(require('@modelcontextprotocol/sdk/client/index.js') as Pick<Sdk, 'Client'>),
			...(require('@modelcontextprotocol/sdk/client/streamableHttp.js') as Pick<
				Sdk,
				'StreamableHTTPClientTransport'
			>),
		};
		const client = new Client({ name: 'test', version: '1.0.0' });
		const headers = { Authorization: `Bearer ${token}` };
		await client.connect(
			new StreamableHTTPClientTransport(new URL(address), { requestInit: { headers } }),
		);
		return new McpClient(client);
	}

	/** @returns the text of the result */
	async call(name: string, input: object = {}): Promise<string> {
		const { content } = await this.client.callTool({ name, arguments: input });
		return content.map(({ text = '' }) => text).join('\n');
	}

	async close(): Promise<void> {
		await this.client.close();
	}
}
