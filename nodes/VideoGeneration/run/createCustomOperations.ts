import type {
	IExecuteFunctions,
	IHttpRequestOptions,
	INodePropertyOptions,
	INodeType,
	INodeTypeDescription,
} from 'n8n-workflow';
import { runItems } from './runItems';

type CustomOperations = NonNullable<INodeType['customOperations']>;

/**
 * Has n8n run every operation that the description declares by `runItems`, and not by its own routing:
 * that evaluates each parameter's expression twice for an item and once more where it is read, which takes
 * most of a run's time (`npm run bench -- items`). What an operation does stands in its `routing`, as
 * in any declarative node; n8n's own routing does the same with it where it runs an agent's tool itself.
 *
 * @returns by resource and operation
 */
export function createCustomOperations({
	properties,
	requestDefaults,
}: INodeTypeDescription): CustomOperations {
	const byResource: CustomOperations = {};
	for (const { name, displayOptions, options } of properties) {
		const resource = displayOptions?.show?.resource?.[0];
		if (name !== 'operation' || typeof resource !== 'string') continue;
		const byOperation: CustomOperations[string] = {};
		for (const { value, routing = {} } of options as INodePropertyOptions[]) {
			const request = { ...requestDefaults, ...routing.request } as IHttpRequestOptions;
			byOperation[String(value)] = async function (this: IExecuteFunctions) {
				return [await runItems(this, request, routing)];
			};
		}
		byResource[resource] = byOperation;
	}
	return byResource;
}
