import type { IExecuteSingleFunctions } from 'n8n-workflow';

/** What n8n's editor writes when a field of the input is dragged into a parameter. */
const FIELD_OF_ITEM = /^=\{\{ ?\$json\.([A-Za-z_]\w*) ?\}\}$/;

/**
 * The value of a text parameter for an item, `''` without one. To evaluate an expression costs n8n as much as
 * the request itself (`npm run bench -- items`), so the commonest of all expressions is read from the item.
 */
export function readParameter(context: IExecuteSingleFunctions, name: string): unknown {
	const raw = context.getNode().parameters[name];
	const field = typeof raw === 'string' ? FIELD_OF_ITEM.exec(raw)?.[1] : undefined;
	if (field !== undefined) {
		const { json } = context.getInputData();
		if (Object.hasOwn(json, field)) return json[field];
	}
	return context.getNodeParameter(name, '');
}
