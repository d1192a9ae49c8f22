import type {
	IExecuteFunctions,
	IExecutePaginationFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	IN8nHttpFullResponse,
	INodeExecutionData,
	PostReceiveAction,
} from 'n8n-workflow';
import { CREDENTIAL } from '../request/requestDefaults';

type Methods = Pick<
	IExecutePaginationFunctions,
	'getItemIndex' | 'getInputData' | 'getNodeParameter' | 'getCredentials' | 'makeRoutingRequest'
>;

/**
 * What the steps of an operation know n8n by: the functions of the whole run, narrowed down to one item, as
 * n8n's own routing narrows them.
 *
 * @param actions what is done to each answer; all of ours are functions
 */
export function createItemContext(
	context: IExecuteFunctions,
	itemIndex: number,
	input: INodeExecutionData,
	actions: PostReceiveAction[],
): IExecutePaginationFunctions {
	const methods: Methods = {
		getItemIndex: () => itemIndex,
		getInputData: () => input,
		getNodeParameter: (name: string, fallback?: unknown, options?: object) =>
			context.getNodeParameter(name, itemIndex, fallback, options),
		// Its fields may be expressions over the item: a key for each customer.
		getCredentials: async <T extends object>(type: string) =>
			await context.getCredentials<T>(type, itemIndex),
		makeRoutingRequest: async ({ options }) => {
			const response = (await context.helpers.httpRequestWithAuthentication.call(item, CREDENTIAL, {
				...(options as IHttpRequestOptions),
				returnFullResponse: true,
			})) as IN8nHttpFullResponse;
			return await takeAnswer(item, response, actions);
		},
	};
	// Its prototype: n8n's functions look for one another in what they are called on.
	const item = Object.assign(Object.create(context) as IExecutePaginationFunctions, methods);
	return item;
}

async function takeAnswer(
	item: IExecuteSingleFunctions,
	response: IN8nHttpFullResponse,
	actions: PostReceiveAction[],
): Promise<INodeExecutionData[]> {
	let output: INodeExecutionData[] = [{ json: response.body as INodeExecutionData['json'] }];
	for (const action of actions) {
		if (typeof action === 'function') output = await action.call(item, output, response);
	}
	return output;
}
