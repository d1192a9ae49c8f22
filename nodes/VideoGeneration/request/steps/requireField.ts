import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { RequestFailure } from '../../failures/requestFailure';

/** What a reply's field must be for the operation to make sense of it. */
const IS: Record<'object' | 'list' | 'text', (value: unknown) => boolean> = {
	object: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
	list: (value) => Array.isArray(value),
	text: (value) => typeof value === 'string' && value !== '',
};

interface FieldTypes {
	object: IDataObject;
	list: IDataObject[];
	text: string;
}

/**
 * A field that the specification promises.
 *
 * @throws a RequestFailure of the kind `incomplete` that names it
 */
export function requireField<T extends keyof FieldTypes>(
	body: IDataObject | undefined,
	field: string,
	type: T,
): FieldTypes[T] {
	const value = body?.[field];
	if (!IS[type](value)) throw new RequestFailure('incomplete', { httpCode: '200', found: field });
	return value as FieldTypes[T];
}

/**
 * A list that the specification promises. The bare list, without its envelope, is taken as well: the
 * specification reports it of a prose example.
 *
 * @throws a RequestFailure when it is missing
 */
export function requireList(body: IDataObject | IDataObject[], field: string): IDataObject[] {
	return Array.isArray(body) ? body : requireField(body, field, 'list');
}

/** The body that `checkReply` has let through. */
export function getBody(items: INodeExecutionData[]): IDataObject {
	return items[0]?.json ?? {};
}
