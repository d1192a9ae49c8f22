import type { IExecuteSingleFunctions, INodeExecutionData } from 'n8n-workflow';

/** The first "Limit" items, unless "Return All" is on. The API has no paging, so the node limits. */
export async function limitItems(
	this: IExecuteSingleFunctions,
	items: INodeExecutionData[],
): Promise<INodeExecutionData[]> {
	if (this.getNodeParameter('returnAll', false) === true) return await Promise.resolve(items);
	return items.slice(0, Number(this.getNodeParameter('limit', 50)));
}
