import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

interface ModelRequest {
	/** Of the Responses API. */
	input?: { type?: string; output?: string }[];
	/** Of the older one. */
	messages?: { role: string; content: string }[];
	tools?: { name: string; description: string }[];
	stream?: boolean;
}

interface ResponseContent {
	output: { id: string; content?: { text: string }[] }[];
}

export interface ToolCall {
	tool: string;
	input: object;
}

/** A response of the model. */
type Reply = string | ToolCall[];

/**
 * A fake chat model with OpenAI's APIs: the Responses API, which n8n's chat model node uses by
 * default, and the older one. It replies as scripted by the test, and then that it is done.
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
		return this.requests[0]?.tools ?? [];
	}

	/** The results of the tool calls that the model received, in the order of the calls. */
	get toolResults(): string[] {
		const { input = [], messages = [] } = this.requests.at(-1) ?? {};
		const outputs = input.filter(({ type }) => type === 'function_call_output');
		const answers = messages.filter(({ role }) => role === 'tool');
		return [...outputs.map(({ output = '' }) => output), ...answers.map(({ content }) => content)];
	}

	private async answer(request: http.IncomingMessage, response: http.ServerResponse) {
		const asked = (await json(request)) as ModelRequest;
		this.requests.push(asked);
		const reply = this.script.shift() ?? 'Done';
		const isNew = request.url === '/v1/responses';
		const content = isNew ? this.createResponse(reply) : this.createCompletion(reply);
		if (!asked.stream) {
			response.setHeader('Content-Type', 'application/json').end(JSON.stringify(content));
			return;
		}
		const events = isNew ? listEvents(content as ResponseContent) : [content];
		response.setHeader('Content-Type', 'text/event-stream');
		for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
		response.end('data: [DONE]\n\n');
	}

	/** Creates a response of OpenAI's older API, which n8n's older agents need. */
	private createCompletion(reply: Reply): object {
		const isText = typeof reply === 'string';
		const said = isText
			? { content: reply }
			: {
					content: null,
					tool_calls: reply.map(({ tool, input }, index) => ({
						index,
						id: `call_${++this.callCount}`,
						type: 'function',
						function: { name: tool, arguments: JSON.stringify(input) },
					})),
				};
		const message = { role: 'assistant', ...said };
		return {
			// A model that streams its response, as the oldest agents want it, names its message a delta.
			choices: [
				{ index: 0, message, delta: message, finish_reason: isText ? 'stop' : 'tool_calls' },
			],
		};
	}

	private createResponse(reply: Reply): object {
		const status = 'completed';
		const output =
			typeof reply === 'string'
				? [
						{
							type: 'message',
							id: 'msg_1',
							role: 'assistant',
							status,
							content: [{ type: 'output_text', text: reply, annotations: [] }],
						},
					]
				: reply.map(({ tool, input }) => ({
						type: 'function_call',
						id: `fc_${++this.callCount}`,
						call_id: `call_${this.callCount}`,
						status,
						name: tool,
						arguments: JSON.stringify(input),
					}));
		const usage = { input_tokens: 1, output_tokens: 1, total_tokens: 2 };
		const about = { id: 'resp_1', object: 'response', created_at: 0, model: 'scripted' };
		return { ...about, status, output, usage };
	}
}

/** The events of a response that n8n's Agents read. */
function listEvents(response: ResponseContent): object[] {
	const items = response.output.flatMap((item, output_index) => [
		{ type: 'response.output_item.added', output_index, item },
		...(item.content ?? []).map(({ text }) => ({
			type: 'response.output_text.delta',
			item_id: item.id,
			output_index,
			content_index: 0,
			delta: text,
		})),
		{ type: 'response.output_item.done', output_index, item },
	]);
	return [
		{ type: 'response.created', response },
		...items,
		{ type: 'response.completed', response },
	];
}
