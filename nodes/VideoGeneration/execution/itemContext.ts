import type { IExecuteFunctions, IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';

type Methods = Pick<
	IExecuteSingleFunctions,
	'getItemIndex' | 'getInputData' | 'getNodeParameter' | 'getCredentials'
>;

/** n8n's functions for a whole run, narrowed down to one item, as n8n's own routing narrows them. */
export function createItemContext(
	context: IExecuteFunctions,
	itemIndex: number,
	input: INodeExecutionData,
): IExecuteSingleFunctions {
	// An item of a careless node may lack its json.
	const item = { ...input, json: (input as Partial<INodeExecutionData>).json ?? {} };
	const methods: Methods = {
		getItemIndex: () => itemIndex,
		getInputData: () => item,
		getNodeParameter: (name: string, fallback?: unknown, options?: object) =>
			context.getNodeParameter(name, itemIndex, fallback, options),
		// The credential's fields may be expressions over the item: a key for each customer.
		getCredentials: async <T extends object>(type: string) =>
			await context.getCredentials<T>(type, itemIndex),
	};
	// n8n's functions find one another through the object that they are called on.
	return Object.assign(Object.create(context) as IExecuteSingleFunctions, methods);
}
