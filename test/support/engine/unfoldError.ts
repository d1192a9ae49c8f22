import type { IDataObject } from 'n8n-workflow';

/**
 * Returns a failed item's data in the form of n8n 2.36 and later; older versions have the details
 * inside `error`.
 */
export function unfoldError(json: IDataObject): IDataObject {
	if (typeof json.error !== 'object' || json.error === null) return json;
	const { message, details } = json.error as IDataObject;
	return { ...json, error: message, details };
}
