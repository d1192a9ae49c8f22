import type {
	IExecuteFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeType,
} from 'n8n-workflow';
import { describeType } from '../createNodeTypes';
import { loadPackage } from '../loadPackage';
import type { EnteredCredential } from '../runNode';
import { NODE_TYPE, runNode } from '../runNode';

interface Request {
	options: IHttpRequestOptions;
	credentials: EnteredCredential;
	/** Called when the head of a response has arrived, whose body is a stream. */
	onResponse?: (() => void) | undefined;
}

/** Where a request failed: before n8n handed a response over, or in the stream of its body. */
type Outcome =
	{ place: 'request' | 'body'; error: unknown } | { place: 'response'; statusCode: number };

/**
 * Sends one request from a node in n8n's engine, signed by the built package's credential.
 *
 * @returns the error exactly as n8n hands it to the node, or the status of a whole response
 */
export async function sendFromNode(request: Request): Promise<Outcome> {
	const { credentials } = await loadPackage();
	const sent: { outcome?: Outcome } = {};
	const sender: INodeType = {
		description: {
			...describeType(NODE_TYPE),
			credentials: [{ name: 'videoGenerationApi', required: true }],
		},
		async execute() {
			sent.outcome = await send(this, request);
			return [this.getInputData()];
		},
	};
	const loadNodes = async () =>
		await Promise.resolve({ nodes: { [NODE_TYPE]: sender }, credentials });
	await runNode({ parameters: {}, credentials: request.credentials, loadNodes });
	if (!sent.outcome) throw new Error('The node did not run');
	return sent.outcome;
}

async function send(
	context: IExecuteFunctions,
	{ options, onResponse }: Request,
): Promise<Outcome> {
	let response: IN8nHttpFullResponse;
	try {
		response = (await context.helpers.httpRequestWithAuthentication.call(
			context,
			'videoGenerationApi',
			options,
		)) as IN8nHttpFullResponse;
	} catch (error) {
		return { place: 'request', error };
	}
	const { statusCode } = response;
	const stream = response.body as NodeJS.ReadableStream;
	if (typeof stream.on !== 'function') return { place: 'response', statusCode };
	return await new Promise((resolve) => {
		stream.on('error', (error) => {
			resolve({ place: 'body', error });
		});
		stream.on('end', () => {
			resolve({ place: 'response', statusCode });
		});
		stream.on('close', () => {
			resolve({ place: 'body', error: 'closed without an error' });
		});
		stream.resume();
		onResponse?.();
	});
}
