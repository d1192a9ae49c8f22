import type { IExecuteSingleFunctions, IPollFunctions } from 'n8n-workflow';
import { NodeOperationError, tryToParseDateTime } from 'n8n-workflow';
import { DEFAULT_MAX_TRIES } from '../api/retry';

/** The expression that n8n's editor writes when a field of the input is dragged into a parameter. */
const FIELD_OF_ITEM = /^=\{\{ ?\$json\.([A-Za-z_]\w*) ?\}\}$/;

const NOTHING_SENT = 'Nothing was sent for this item.';

/** An error about a parameter, which fails the item before anything is sent. */
export function createInputError(
	context: IExecuteSingleFunctions | IPollFunctions,
	message: string,
	description: string,
): NodeOperationError {
	return new NodeOperationError(context.getNode(), message, {
		description,
		...('getItemIndex' in context ? { itemIndex: context.getItemIndex() } : {}),
	});
}

/**
 * A parameter's value of any type. The most common expression is taken from the item directly:
 * evaluating it costs n8n as much as the request itself (`npm run bench -- items`).
 */
function getValue(context: IExecuteSingleFunctions, name: string): unknown {
	const raw = (context.getNode().parameters as Record<string, unknown>)[name];
	const field = typeof raw === 'string' ? FIELD_OF_ITEM.exec(raw)?.[1] : undefined;
	if (field !== undefined) {
		const { json } = context.getInputData();
		if (Object.hasOwn(json, field)) return json[field];
	}
	return context.getNodeParameter(name, '');
}

/**
 * The value of a text parameter. Sheets and forms give numbers and true/false as well, which are
 * meant as text.
 *
 * @returns '' without a value, undefined for a list, an object or anything else
 */
export function parseText(value: unknown): string | undefined {
	if (value === undefined || value === null) return '';
	const isPlain = typeof value === 'number' || typeof value === 'boolean';
	return typeof value === 'string' ? value : isPlain ? String(value) : undefined;
}

/** A text parameter, see `parseText`. @throws a NodeOperationError when it is not text */
export function getText(context: IExecuteSingleFunctions, name: string, label: string): string {
	const value = getValue(context, name);
	const text = parseText(value);
	if (text !== undefined) return text;
	throw createInputError(
		context,
		`'${label}' must be text`,
		`It is ${nameType(value)}. Enter text, or an expression that returns text. ${NOTHING_SENT}`,
	);
}

/**
 * An ID, without the spaces and line breaks that come from copying; '' without a value.
 *
 * @throws a NodeOperationError for anything but text or a number
 */
function parseId(context: IExecuteSingleFunctions, value: unknown, label: string): string {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string' || typeof value === 'number') return String(value).trim();
	throw createInputError(
		context,
		`'${label}' must be an ID`,
		`It is ${nameType(value)}. Enter an ID, or an expression that returns one. ${NOTHING_SENT}`,
	);
}

/** The parameter of that name as an ID, see `parseId`. */
export function getId(context: IExecuteSingleFunctions, name: string, label: string): string {
	return parseId(context, getValue(context, name), label);
}

/** A project's ID, from its resource locator or as a plain value; '' without one. */
export function getProjectId(context: IExecuteSingleFunctions): string {
	return parseProjectId(context, context.getNodeParameter('projectId', ''));
}

export function parseProjectId(context: IExecuteSingleFunctions, locator: unknown): string {
	const isLocator = typeof locator === 'object' && locator !== null && 'value' in locator;
	return parseId(context, isLocator ? locator.value : locator, 'Project');
}

/**
 * The value of a switch. Sheets and forms give "TRUE", 1, "false" or 0 as well.
 *
 * @returns false without a value, undefined for anything that means neither on nor off
 */
export function parseSwitch(value: unknown): boolean | undefined {
	const text = parseText(value)?.trim().toLowerCase();
	if (text === 'true' || text === '1') return true;
	return text === 'false' || text === '0' || text === '' ? false : undefined;
}

/** A switch, see `parseSwitch`. @throws a NodeOperationError for any other value */
export function getSwitch(context: IExecuteSingleFunctions, name: string, label: string): boolean {
	const value: unknown = context.getNodeParameter(name, false);
	const isOn = parseSwitch(value);
	if (isOn !== undefined) return isOn;
	const found = parseText(value) === undefined ? nameType(value) : JSON.stringify(value);
	throw createInputError(
		context,
		`'${label}' must be true or false`,
		`It is ${found}. Turn it on or off, or use an expression that returns true or false. ${NOTHING_SENT}`,
	);
}

/** A number, also as text. @returns undefined without a value, NaN for anything else */
export function parseNumber(value: unknown): number | undefined {
	if (value === undefined || value === null) return undefined;
	if (typeof value === 'number') return value;
	if (typeof value !== 'string') return NaN;
	return value.trim() === '' ? undefined : Number(value);
}

/** "Max Tries". @throws a NodeOperationError unless it is a whole number from 1 to 10 */
export function getMaxTries(context: IExecuteSingleFunctions): number {
	const value = context.getNodeParameter('options.maxTries', DEFAULT_MAX_TRIES);
	const maxTries = parseNumber(value) ?? DEFAULT_MAX_TRIES;
	if (Number.isInteger(maxTries) && maxTries >= 1 && maxTries <= 10) return maxTries;
	throw createInputError(
		context,
		"'Max Tries' must be a whole number from 1 to 10",
		`Correct 'Max Tries' under 'Options'. ${NOTHING_SENT}`,
	);
}

/** "Limit", or Infinity with "Return All" on. @throws a NodeOperationError unless it is 1 or more */
export function getLimit(context: IExecuteSingleFunctions): number {
	if (getSwitch(context, 'returnAll', 'Return All')) return Infinity;
	const limit = parseNumber(context.getNodeParameter('limit', 50)) ?? 50;
	if (Number.isInteger(limit) && limit >= 1) return limit;
	throw createInputError(
		context,
		"'Limit' must be a whole number of 1 or more",
		"Correct 'Limit', or turn on 'Return All'.",
	);
}

/** The entries of a collection; none where an expression returns something else. */
export function getCollection(
	context: IExecuteSingleFunctions,
	name: string,
): Record<string, unknown> {
	const value: unknown = context.getNodeParameter(name, {});
	return typeof value === 'object' && value !== null ? (value as Record<string, unknown>) : {};
}

/**
 * An entry of "Options". It is set when it is there, whatever its value: an expression that returns
 * nothing does not remove it.
 *
 * @throws a NodeOperationError when "Options" itself is an expression that returns no object
 */
export function getOption(
	context: IExecuteSingleFunctions,
	name: string,
): { isSet: boolean; value: unknown } {
	const options: unknown = context.getNodeParameter('options', {});
	if (typeof options !== 'object' || options === null) {
		throw createInputError(
			context,
			"'Options' must be an object",
			`Correct the expression of 'Options'. ${NOTHING_SENT}`,
		);
	}
	return { isSet: name in options, value: (options as Record<string, unknown>)[name] };
}

/**
 * A point in time, as n8n's date field or an expression gives it. Without a time zone, the
 * workflow's is meant, as everywhere in n8n.
 *
 * @returns milliseconds since 1970, or undefined when it is not a date
 */
export function parseDateTime(value: unknown, timeZone: string): number | undefined {
	const text = toDateText(value).trim();
	const [day] = /^\d{4}-\d\d-\d\d/.exec(text) ?? [];
	if (day === undefined) return undefined;
	try {
		const time = tryToParseDateTime(text, timeZone);
		// A day that does not exist, such as February 30, must not become another one.
		return time.toISODate() === day ? time.toMillis() : undefined;
	} catch {
		return undefined;
	}
}

/** Text, a Date, or n8n's own DateTime; '' for anything else. */
function toDateText(value: unknown): string {
	if (typeof value === 'string') return value;
	if (typeof value !== 'object' || value === null) return '';
	const { toISO, toISOString } = value as {
		toISO?: (this: unknown) => string | null;
		toISOString?: (this: unknown) => string;
	};
	return toISO?.call(value) ?? toISOString?.call(value) ?? '';
}

function nameType(value: unknown): string {
	return Array.isArray(value)
		? 'a list'
		: typeof value === 'object'
			? 'an object'
			: 'something else';
}
