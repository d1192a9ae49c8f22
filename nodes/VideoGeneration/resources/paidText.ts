import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { toLine } from '../failures/texts';
import { createInputError, requireText } from '../item/parameters';

export const NOT_SPENT = 'Nothing was queued for this item, and no credit was spent.';

/** An error names so many fields of an item at most. */
const MAX_NAMES = 20;

/** Text that n8n replaces in an expression. */
const TYPED_EXPRESSION = /\{\{\s*(?:\$[a-z(]|DateTime\.)/i;

/**
 * A text that decides what is paid for. n8n leaves out a field that an item lacks, so a misspelt column would go unnoticed.
 *
 * @param getAdvice what to do about an expression, or a field in it, that may have no value
 * @param isKey whether it tells rows apart: of a row without any value, it would be that of all such rows
 */
export function getPaidText(
	context: IExecuteSingleFunctions,
	name: string,
	label: string,
	getAdvice: (path: string | undefined) => string | undefined,
	isKey = false,
): string {
	const refuse = (problem: string, whatToDo: string) =>
		createInputError(context, problem, `${whatToDo} ${NOT_SPENT}`);
	const value: unknown = context.getNodeParameter(name, '');
	const missing = findMissing(context, name, value, isKey);
	if (missing !== undefined) {
		const { json } = context.getInputData();
		const [, plain, , quoted] = FIELD.exec(missing) ?? [];
		const field = plain ?? quoted;
		const check = `Check {{ ${missing} }}`;
		const isPath = [...missing.matchAll(PATH)].some(([path]) => path === missing);
		const advice = getAdvice(isPath ? missing : undefined);
		const say = (toCheck: string) => [toCheck, advice].filter(Boolean).join(' ');
		if (field === undefined || json[field] !== undefined) {
			throw refuse(`An expression in '${label}' has no value`, say(`${check}.`));
		}
		const names = Object.keys(json).slice(0, MAX_NAMES).map(toLine);
		throw refuse(
			`'${label}' names the field '${field}', which this item does not have`,
			say(`${check}: this item has ${names.join(', ') || 'no fields'}.`),
		);
	}
	const text = requireText(context, value, label);
	if (TYPED_EXPRESSION.test(text)) {
		throw refuse(
			`'${label}' contains an expression that was typed as text`,
			`Point to '${label}', and select 'Expression' above the field, so that n8n fills in its value.`,
		);
	}
	if (text.includes('[object Object]')) {
		throw refuse(
			`'${label}' contains an object instead of text`,
			'n8n writes an object as [object Object]. In the expression, name the field of the object that holds the text.',
		);
	}
	return text;
}

/** A field of the item: `$json.topic`, `$json["topic"]`, or either with a question mark. */
const FIELD =
	/^\$json(?:\??\.([\p{L}_$][\p{L}\p{N}_$]*)|(?:\?\.)?\[\s{0,9}(["'`])((?:(?!\2).){1,200})\2\s{0,9}\])/u;

/** The same, a field inside of it, that of another node (`$('Rows').item.json.fields.topic`), or the item as a whole. */
const PATH =
	/(?:\$(?:json|vars)|\$(?:input|\((["'`])[^"'`]{1,200}\1\))\s{0,9}\??\.\s{0,9}(?:item|(?:first|last)\(\)|itemMatching\([^()]{1,99}\)|all\(\)\[[^[\]]{1,99}\])\s{0,9}\??\.\s{0,9}json|\$node(?:\.\w{1,200}|\[(["'`])[^"'`]{1,200}\2\])\.json)(?:\s{0,9}\??\.\s{0,9}[\p{L}_$][\p{L}\p{N}_$]*|(?:\?\.)?\[\s{0,9}(?:\d{1,9}|(["'`])(?:(?!\3).){1,200}\3)\s{0,9}\])*(?![\p{L}\p{N}_$(])/gu;

const COMMENT = /\/\*.*?\*\/|(?<=^|\s)\/\/.*?$/gms;

/** What says in an expression what to do without a value. It may also be a sign of a text. */
const DEFAULT = /\?(?!\.)|\|\||&&|\$if|\b(?:if|typeof|filter|compact|isEmpty|isNotEmpty)\b/i;

/** How a missing value is written where it is joined to a text, or calculated with. */
const WRITTEN = /undefined|NaN|Invalid Date/;

/**
 * Finds a part of an expression that has no value. A field that an item lacks has none, whatever is calculated with it,
 * unless the expression says what to do then. A key has none, either, if all of its fields are empty.
 */
function findMissing(
	context: IExecuteSingleFunctions,
	name: string,
	text: unknown,
	isKey: boolean,
): string | undefined {
	const raw: unknown = context.getNodeParameter(name, '', { rawExpressions: true });
	if (typeof raw !== 'string' || !raw.startsWith('=')) return undefined;
	const evaluate = (code: string): unknown =>
		context.evaluateExpression(`{{${code}}}`, context.getItemIndex());
	const parts: { path: string; value: unknown }[] = [];
	for (const rest of raw.split(/(?<!\\)\{\{/).slice(1)) {
		const [code = ''] = rest.split('}}');
		const found = raw === `={{${code}}}` ? text : evaluate(code);
		const named = [...code.replace(COMMENT, '').matchAll(PATH)].map(([path]) => {
			return { path, value: path === code.trim() ? found : tryTo(() => evaluate(path)) };
		});
		const missing = named.find(({ value }) => value === undefined);
		const hasDefault = DEFAULT.test(code);
		// It may also be a word of the expression, or of a field.
		const [word] = WRITTEN.exec([found].flat().filter(isText).join()) ?? [];
		const isJoined =
			word !== undefined &&
			named.length > 0 &&
			!JSON.stringify([code, ...named.map(({ value }) => value)]).includes(word);
		const isWithout = found === undefined || Number.isNaN(found) || isNoDate(found) || isJoined;
		if (isWithout || (missing && !hasDefault)) return missing?.path ?? code.trim();
		if (named.length > 0)
			parts.push(...(hasDefault ? [{ path: code.trim(), value: found }] : named));
	}
	const areEmpty = parts.every(
		({ value }) => (isText(value) ? value.trim() : (value ?? '')) === '',
	);
	return isKey && text !== '' && areEmpty ? parts[0]?.path : undefined;
}

/** Whether it is a date that does not exist, of JavaScript or of n8n. */
function isNoDate(value: unknown): boolean {
	const { toJSON } = Object(value) as { toJSON?: unknown };
	return typeof toJSON === 'function' && toJSON.call(value) === null;
}

const isText = (value: unknown): value is string => typeof value === 'string';

/** The value of a part of an expression; undefined where n8n has none, as for a node that has not run. */
function tryTo(evaluate: () => unknown): unknown {
	try {
		return evaluate();
	} catch {
		return undefined;
	}
}
