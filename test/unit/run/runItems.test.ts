import type { IExecuteFunctions } from 'n8n-workflow';
import { VideoGeneration } from '../../../nodes/VideoGeneration/VideoGeneration.node';

const AN_HOUR_MS = 3_600_000;

/** Two items that are read from a service which answers at once, with an hour's pause between them. */
function createContext(signal: AbortSignal, onRequest: () => void) {
	const batching = { batch: { batchSize: 1, batchInterval: AN_HOUR_MS } };
	const parameters: Record<string, unknown> = {
		requestOptions: { batching },
		'requestOptions.batching': batching,
	};
	const node = { name: 'Video Generation', type: 't', parameters };
	const items = [{ json: {} }, { json: {} }];
	const executeData = { node, data: { main: [items] }, source: null };
	return {
		getInputData: () => items,
		getNode: () => node,
		getNodeParameter: (name: string, _item: number, fallback: unknown) =>
			parameters[name] ?? fallback,
		getExecuteData: () => executeData,
		getExecutionCancelSignal: () => signal,
		continueOnFail: () => false,
		getCredentials: () => Promise.resolve({}),
		helpers: {
			httpRequestWithAuthentication: () => {
				onRequest();
				return Promise.resolve({
					statusCode: 200,
					headers: {},
					body: { status: 'success', usage: {} },
				});
			},
		},
	} as unknown as IExecuteFunctions;
}

test("a pause between two batches ends when the execution is stopped, and so does the node's work", async () => {
	const stop = new AbortController();
	let requests = 0;
	const context = createContext(stop.signal, () => {
		requests += 1;
		// Once the pause has begun.
		setImmediate(() => {
			stop.abort();
		});
	});
	const run = new VideoGeneration().customOperations.account?.get?.call(context);
	await expect(run).rejects.toMatchObject({ message: 'The execution was canceled' });
	expect(requests).toBe(1);
});
