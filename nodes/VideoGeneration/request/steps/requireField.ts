import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { DEEPEST_LEVEL } from '../answerLimits';
import { isDeeperThan } from '../isDeeperThan';
import { refuseAnswer } from '../refuseAnswer';
import { RequestFailure } from '../requestFailure';

/** The envelope, and the list. */
const LEVELS_AROUND_ENTRY = 2;

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
 * @throws a RequestFailure when it is missing, or an entry is nested more deeply than n8n can take
 */
export function requireList(body: IDataObject | IDataObject[], field: string): IDataObject[] {
	const list = Array.isArray(body) ? body : requireField(body, field, 'list');
	if (list.some(isTooDeep)) {
		throw refuseAnswer('tooDeep', `${DEEPEST_LEVEL} levels`);
	}
	return list;
}

function isTooDeep(entry: unknown): boolean {
	// A list of a service may hold anything.
	if (typeof entry !== 'object' || entry === null) return false;
	return isDeeperThan(DEEPEST_LEVEL - LEVELS_AROUND_ENTRY, entry);
}

/** The body that `checkReply` has let through. */
export function getBody(items: INodeExecutionData[]): IDataObject {
	return items[0]?.json ?? {};
}
