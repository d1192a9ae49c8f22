import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { json } from 'node:stream/consumers';

/** A tool as it is described to a chat model. */
export interface OfferedTool {
	name: string;
	description: string;
	parameters: {
		properties: Record<string, { type: string; description?: string }>;
		required?: string[];
	};
}

interface ModelRequest {
	/** Of the Responses API. */
	input?: { type?: string; output?: string }[];
	/** Of the older one. */
	messages?: { role: string; content: string }[];
	tools?: OfferedTool[];
	stream?: boolean;
}

interface ResponseContent {
	output: { type: string; id: string; content?: { text: string }[] }[];
}

/** The events of a response that n8n's Agents read. */
function listEvents(response: ResponseContent): object[] {
	const items = response.output.flatMap((item, output_index) => [
		{ type: 'response.output_item.added', output_index, item },
		...(item.content ?? []).map(({ text }) => ({
			...{ type: 'response.output_text.delta', item_id: item.id, output_index },
			...{ content_index: 0, delta: text },
		})),
		{ type: 'response.output_item.done', output_index, item },
	]);
	return [
		{ type: 'response.created', response },
		...items,
		{ type: 'response.completed', response },
	];
}

type Reply = string | { tool: string; input: object }[];

/**
 * A response of the model: a text or tool calls. A function is called when its turn comes; with a
 * promise that never resolves, the model does not respond.
 */
export type ModelReply = Reply | (() => Reply | Promise<Reply>);

/**
 * A fake chat model with OpenAI's APIs: the Responses API, which n8n's chat model node uses by
 * default, and the older one. It replies as scripted by the test and records the requests.
 */
export class ScriptedModel {
	private script: ModelReply[] = [];

	private callCount = 0;

	/** The requests since the last `play`. */
	readonly requests: ModelRequest[] = [];

	private readonly server = http.createServer((request, response) => {
		void this.answer(request, response).catch((error: unknown) => {
			response.writeHead(400, { 'Content-Type': 'application/json' });
			response.end(JSON.stringify({ error: { message: String(error) } }));
		});
	});

	async start(): Promise<void> {
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	/** The base URL for n8n's credential of such models. */
	get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}/v1`;
	}

	/** Sets the replies from now on, one for each request. */
	play(script: ModelReply[]): void {
		this.script = [...script];
		this.requests.length = 0;
	}

	/** The tools that the first request offers. */
	get tools(): OfferedTool[] {
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
		const answers: Record<string, (said: Reply) => object> = {
			'POST /v1/responses': (said) => this.createResponse(said),
			'POST /v1/chat/completions': (said) => this.createCompletion(said),
		};
		const create = answers[`${request.method} ${request.url}`];
		if (!create) {
			throw new Error(`The scripted model does not know ${request.method} ${request.url}`);
		}
		const asked = (await json(request)) as ModelRequest;
		this.requests.push(asked);
		const reply = this.script.shift();
		if (reply === undefined) throw new Error('The scripted model has nothing left to say');
		const said = typeof reply === 'function' ? await reply() : reply;
		const content = create(said);
		if (asked.stream !== true) {
			response.writeHead(200, { 'Content-Type': 'application/json' });
			response.end(JSON.stringify(content));
			return;
		}
		const events = 'output' in content ? listEvents(content as ResponseContent) : [content];
		response.writeHead(200, { 'Content-Type': 'text/event-stream' });
		for (const event of events) response.write(`data: ${JSON.stringify(event)}\n\n`);
		response.end('data: [DONE]\n\n');
	}

	/** Creates a response of OpenAI's older API, which n8n's older agents need. */
	private createCompletion(reply: Reply): object {
		const message =
			typeof reply === 'string'
				? { content: reply }
				: {
						content: null,
						tool_calls: reply.map(({ tool, input }, index) => ({
							...{ index, id: `call_${++this.callCount}`, type: 'function' },
							function: { name: tool, arguments: JSON.stringify(input) },
						})),
					};
		const full = { role: 'assistant', ...message };
		const finish_reason = typeof reply === 'string' ? 'stop' : 'tool_calls';
		return {
			...{ id: 'completion_1', object: 'chat.completion', created: 0, model: 'scripted' },
			// A model that streams its response, as the oldest agents want it, names its message a delta.
			choices: [{ index: 0, message: full, delta: full, finish_reason }],
			usage: { prompt_tokens: 1, completion_tokens: 1, total_tokens: 2 },
		};
	}

	private createResponse(reply: Reply): object {
		const status = 'completed';
		const output =
			typeof reply === 'string'
				? [
						{
							...{ type: 'message', id: 'msg_1', role: 'assistant', status },
							content: [{ type: 'output_text', text: reply, annotations: [] }],
						},
					]
				: reply.map(({ tool, input }) => {
						const id = `${++this.callCount}`;
						return {
							...{ type: 'function_call', id: `fc_${id}`, call_id: `call_${id}`, status },
							...{ name: tool, arguments: JSON.stringify(input) },
						};
					});
		const usage = {
			...{ input_tokens: 1, output_tokens: 1, total_tokens: 2 },
			input_tokens_details: { cached_tokens: 0 },
			output_tokens_details: { reasoning_tokens: 0 },
		};
		return {
			...{ id: 'resp_1', object: 'response', created_at: 0, model: 'scripted' },
			...{ status, output, usage, tools: [], parallel_tool_calls: true },
		};
	}
}
