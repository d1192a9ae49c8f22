import type { IDataObject } from 'n8n-workflow';

/** A failed item's data as n8n 2.36 and later have them: in older ones, the details stand in `error`. */
export function unfoldError(json: IDataObject): IDataObject {
	if (typeof json.error !== 'object' || json.error === null) return json;
	const { message, details } = json.error as IDataObject;
	return { ...json, error: message, details };
}
