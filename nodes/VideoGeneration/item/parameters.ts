import type {
	IDataObject,
	IExecuteFunctions,
	IExecuteSingleFunctions,
	IHttpRequestOptions,
	ILoadOptionsFunctions,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeOperationError } from 'n8n-workflow';
import { MAX_TIMER_MS } from '../api/pacing';
import { isObject } from '../api/response';
import { DEFAULT_MAX_TRIES } from '../api/retry';

export const CHECK_EXPRESSION = 'If it is an expression, check that it has a value for this item.';

type AnyContext =
	IExecuteFunctions | IExecuteSingleFunctions | ILoadOptionsFunctions | IPollFunctions;

/** An error about a parameter, which fails the item before anything is sent. */
export function createInputError(context: AnyContext, message: string, description: string) {
	const itemIndex = 'getItemIndex' in context ? context.getItemIndex() : undefined;
	return new NodeOperationError(context.getNode(), message, { description, itemIndex });
}

/** @throws a NodeOperationError that says what the value of a parameter must be */
export function refuse(context: AnyContext, label: string, kind: string, whatToDo: string): never {
	const message = `'${label}' must be ${kind}`;
	throw createInputError(context, message, `${whatToDo} Nothing was sent.`);
}

/** The text that is meant by a text, a number or true/false; '' without a value, undefined for anything else. */
function parseText(value: unknown): string | undefined {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string' || typeof value === 'boolean') return String(value);
	// Neither NaN, which a calculation with a misspelt field gives, nor Infinity is a number that people mean.
	return typeof value === 'number' && Number.isFinite(value) ? String(value) : undefined;
}

/** A Date and n8n's own DateTime as text, as in JSON; any other value as it is. */
export function toDateText(value: unknown): unknown {
	const { toJSON } = Object(value) as { toJSON?: unknown };
	// Of a date that does not exist, it is null.
	return typeof toJSON === 'function' ? (toJSON.call(value) ?? value) : value;
}

/**
 * The text of a parameter's value, see `parseText`. Databases give dates, which n8n shows as text.
 *
 * @throws a NodeOperationError when it is not text
 */
export function requireText(context: AnyContext, value: unknown, label: string): string {
	const whatToDo = 'Enter text, or an expression that returns text.';
	return parseText(toDateText(value)) ?? refuse(context, label, 'text', whatToDo);
}

/** A text that must not be empty. @throws a NodeOperationError that says what to do */
export function requireGiven(context: AnyContext, text: string, label: string, whatToDo: string) {
	if (text !== '') return text;
	throw createInputError(context, `'${label}' is empty`, whatToDo);
}

/** The ID in a resource locator or a text, trimmed; '' without a value. @throws a NodeOperationError for anything else */
export function getId(context: IExecuteSingleFunctions, name: string, label: string): string {
	const given: unknown = context.getNodeParameter(name, '');
	const value = isObject(given) && 'value' in given ? given.value : given;
	const whatToDo = 'Enter an ID, or an expression that returns one.';
	const text = typeof value === 'boolean' ? undefined : parseText(value);
	return text?.trim() ?? refuse(context, label, 'an ID', whatToDo);
}

/** A switch; false without a value. @throws a NodeOperationError for anything that means neither on nor off */
export function getSwitch(context: AnyContext, name: string, label: string): boolean {
	const value: unknown = (context as IPollFunctions).getNodeParameter(name, false);
	const word = parseText(value)?.trim().toLowerCase() ?? 'none';
	if (['true', '1'].includes(word)) return true;
	if (['false', '0', ''].includes(word)) return false;
	const whatToDo = 'Turn it on or off, or use an expression that returns true or false.';
	return refuse(context, label, 'true or false', whatToDo);
}

/** A number, also as text. @returns undefined without a value, NaN for anything else */
export function parseNumber(value: unknown): number | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value === 'number') return value;
	if (typeof value !== 'string') return NaN;
	return value.trim() === '' ? undefined : Number(value);
}

/** The numbers that a parameter can have. */
export interface Range {
	min: number;
	max?: number;
	/** Whether the number is above the minimum. */
	isAbove?: boolean;
	isWhole?: boolean;
}

/** A number in a range. @throws a NodeOperationError for any other value, and without one */
export function requireNumber(
	context: AnyContext,
	value: unknown,
	label: string,
	{ min, max = Infinity, isAbove = false, isWhole = false }: Range,
): number {
	const number = parseNumber(value) ?? NaN;
	const isOfKind = isWhole ? Number.isInteger(number) : Number.isFinite(number);
	if (isOfKind && number <= max && (isAbove ? number > min : number >= min)) return number;
	const from = isAbove ? `above ${min}` : `of ${min} or more`;
	const range = max === Infinity ? from : `from ${min} to ${max}`;
	const whatToDo = `Correct '${label}'. ${CHECK_EXPRESSION}`;
	return refuse(context, label, `a ${isWhole ? 'whole ' : ''}number ${range}`, whatToDo);
}

/** "Max Tries". @throws a NodeOperationError unless it is a whole number from 1 to 10 */
export function getMaxTries(context: IExecuteSingleFunctions): number {
	const value = parseNumber(context.getNodeParameter('options.maxTries', '')) ?? DEFAULT_MAX_TRIES;
	return requireNumber(context, value, 'Max Tries', { min: 1, max: 10, isWhole: true });
}

/** "Limit", or Infinity with "Return All" on. @throws a NodeOperationError unless it is 1 or more */
export function getLimit(context: IExecuteSingleFunctions): number {
	if (getSwitch(context, 'returnAll', 'Return All')) return Infinity;
	const limit = parseNumber(context.getNodeParameter('limit', 50)) ?? 50;
	return requireNumber(context, limit, 'Limit', { min: 1, isWhole: true });
}

/** The entries of a collection, each evaluated. n8n turns anything but an object into an empty one. */
export function getCollection(context: IExecuteSingleFunctions, name: string): IDataObject {
	return context.getNodeParameter(name, {}) as IDataObject;
}

/** n8n's "Batching": the number of items that start at once, and the pause between batches (0 for none). */
export interface Batching {
	size: number;
	intervalMs: number;
}

/** @throws a NodeOperationError when one of its fields is not a number */
export function getBatching(context: IExecuteFunctions): Batching {
	const batching = context.getNodeParameter('requestOptions.batching', 0, {}) ?? {};
	const { batch } = batching as { batch?: Record<string, unknown> | null };
	// A field that is there and empty is no number: a misspelt column must not switch it off.
	const get = (name: string, label: string) =>
		batch && name in batch ? getCount(context, parseNumber(batch[name]) ?? NaN, label) : 0;
	// n8n's own field says that -1 turns batches off.
	const isOff = parseNumber(batch?.batchSize) === -1;
	return {
		size: isOff ? Infinity : get('batchSize', 'Items per Batch') || 1,
		intervalMs: get('batchInterval', 'Batch Interval (ms)'),
	};
}

/** The settings in n8n's "Request Options". @throws a NodeOperationError for one that cannot be used */
export function getConnection(context: IExecuteSingleFunctions | ILoadOptionsFunctions) {
	const { proxy, timeout } = getCollection(context as IExecuteSingleFunctions, 'requestOptions');
	const insecure = 'requestOptions.allowUnauthorizedCerts';
	return {
		skipSslCertificateValidation: getSwitch(context, insecure, 'Ignore SSL Issues (Insecure)'),
		timeout: getCount(context, timeout, 'Timeout') || undefined,
		proxy: parseProxy(context, proxy),
	};
}

/** Rounds to a whole number that fits into a timer; 0 without a value, or for a negative one. @throws a NodeOperationError */
function getCount(context: AnyContext, value: unknown, label: string): number {
	const number = Math.round(parseNumber(value) ?? 0);
	if (!Number.isNaN(number)) return Math.min(Math.max(number, 0), MAX_TIMER_MS);
	const whatToDo = `Correct '${label}' under 'Request Options' in the node's settings.`;
	return refuse(context, label, 'a number', whatToDo);
}

function parseProxy(context: AnyContext, address: unknown): IHttpRequestOptions['proxy'] {
	const text = parseText(address);
	if (text === '') return undefined;
	try {
		const { protocol, hostname, port, username, password } = new URL(text ?? '');
		if (!/^https?:$/.test(protocol)) throw new Error(`${protocol} is not the protocol of a proxy`);
		const auth = { username: decodeURIComponent(username), password: decodeURIComponent(password) };
		return {
			host: hostname,
			port: Number(port) || (protocol === 'https:' ? 443 : 80),
			protocol: protocol.slice(0, -1),
			...(username === '' ? {} : { auth }),
		};
	} catch {
		const whatToDo =
			"Enter 'Proxy' under 'Request Options' in the node's settings as http://proxy.example.com:3128.";
		return refuse(context, 'Proxy', 'an address', whatToDo);
	}
}
