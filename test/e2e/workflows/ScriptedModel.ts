import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface ModelRequest {
	messages: { role: string; content: string }[];
	tools?: { function: { name: string; description: string } }[];
	stream?: boolean;
}

export interface ToolCall {
	tool: string;
	input: object;
}

/** A response of the model. */
type Reply = string | ToolCall[];

/**
 * A fake chat model with OpenAI's older API, Chat Completions, which all of n8n's agents can use. It replies as
 * scripted by the test, and then that it is done.
 */
export class ScriptedModel {
	private script: Reply[] = [];
	private callCount = 0;
	private requests: ModelRequest[] = [];

	private readonly server = http.createServer((request, response) => {
		void this.answer(request, response);
	});

	async start(): Promise<void> {
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
	}

	stop(): void {
		this.server.close();
		this.server.closeAllConnections();
	}

	/** The base URL for n8n's credential of such models. */
	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
	}

	/** Sets the replies from now on, one for each request. */
	play(script: Reply[]): void {
		this.script = [...script];
		this.requests = [];
	}

	/** The tools that the first request offers. */
	get tools() {
		return (this.requests[0]?.tools ?? []).map((tool) => tool.function);
	}

	/** The results of the tool calls that the model received, in the order of the calls. */
	get toolResults(): string[] {
		const { messages = [] } = this.requests.at(-1) ?? {};
		return messages.filter(({ role }) => role === 'tool').map(({ content }) => content);
	}

	private async answer(request: http.IncomingMessage, response: http.ServerResponse) {
		const asked = (await json(request)) as ModelRequest;
		if (request.url !== '/v1/chat/completions') {
			// n8n's Agents ask for the newer API first.
			response.writeHead(404).end();
			return;
		}
		this.requests.push(asked);
		const content = JSON.stringify(this.createCompletion(this.script.shift() ?? 'Done'));
		if (asked.stream) {
			response.setHeader('Content-Type', 'text/event-stream');
			response.end(`data: ${content}\n\ndata: [DONE]\n\n`);
		} else {
			response.setHeader('Content-Type', 'application/json').end(content);
		}
	}

	private createCompletion(reply: Reply): object {
		const isText = typeof reply === 'string';
		const said = isText
			? { content: reply }
			: {
					// Chats show what is said beside the calls.
					content: 'One moment',
					tool_calls: reply.map(({ tool, input }, index) => ({
						index,
						id: `call_${++this.callCount}`,
						type: 'function',
						function: { name: tool, arguments: JSON.stringify(input) },
					})),
				};
		const message = { role: 'assistant', ...said };
		const finish_reason = isText ? 'stop' : 'tool_calls';
		// In a stream, a message is a delta.
		return { choices: [{ index: 0, message, delta: message, finish_reason }] };
	}
}
