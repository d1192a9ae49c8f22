import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { createInputError, requireText } from './parameters';

export const NOT_SPENT = 'Nothing was queued for this item, and no credit was spent.';

/** Text that n8n replaces in an expression. */
const TYPED_EXPRESSION = /\{\{\s*\$(?:json|node|\()/;

/**
 * A text that decides what is paid for. n8n leaves out a field that an item lacks, so that a misspelt column
 * would go unnoticed.
 *
 * @param name the parameter; one inside a collection by its path
 * @param advice what to do about an expression that may have no value; `{code}` is the expression
 * @throws a NodeOperationError for an expression without a value, for one that was typed as text, and for an object
 */
export function getPaidText(
	context: IExecuteSingleFunctions,
	name: string,
	label: string,
	advice: string,
): string {
	const value: unknown = context.getNodeParameter(name, '');
	const missing = findMissing(context, name, value);
	if (missing !== undefined) {
		const { field, code } = missing;
		throw createInputError(
			context,
			field === undefined
				? `An expression in '${label}' has no value`
				: `'${label}' names the field '${field}', which this item does not have`,
			`Check {{ ${code} }}. ${advice.replace('{code}', () => code)} ${NOT_SPENT}`,
		);
	}
	const text = requireText(context, value, label);
	if (TYPED_EXPRESSION.test(text)) {
		throw createInputError(
			context,
			`'${label}' contains an expression that was typed as text`,
			`Point to '${label}', and select 'Expression' above the field, so that n8n fills in its value. ${NOT_SPENT}`,
		);
	}
	if (text.includes('[object Object]')) {
		throw createInputError(
			context,
			`'${label}' contains an object instead of text`,
			`n8n writes an object as [object Object]. In the expression, name the field of the object that holds the text. ${NOT_SPENT}`,
		);
	}
	return text;
}

/** A field of the item: `$json.topic`, `$json["topic"]`, or either with a question mark. */
const FIELD = /\$json(?:\??\.([\p{L}_$][\p{L}\p{N}_$]*)|(?:\?\.)?\[\s*(["'`])(.+?)\2\s*\])/gu;

/** The first part of an expression that has no value, and the field that the item lacks, if that is why. */
function findMissing(
	context: IExecuteSingleFunctions,
	name: string,
	value: unknown,
): { field?: string; code: string } | undefined {
	const raw: unknown = context.getNodeParameter(name, '', { rawExpressions: true });
	if (typeof raw !== 'string' || !raw.startsWith('=')) return undefined;
	const { json } = context.getInputData();
	for (const rest of raw.split('{{').slice(1)) {
		const [code = ''] = rest.split('}}');
		const fields = [...code.matchAll(FIELD)].map(([reference, plain, , quoted = '']) => ({
			field: plain ?? quoted,
			code: reference,
		}));
		const missing = fields.find(({ field }) => json[field] === undefined);
		// The most common part needs no evaluation, which costs about a millisecond.
		if (missing === undefined && fields[0]?.code === code.trim()) continue;
		const part = `{{${code}}}`;
		const isWhole = raw === `=${part}`;
		const found = isWhole ? value : context.evaluateExpression(part, context.getItemIndex());
		// JavaScript joins a missing value to a text as "undefined".
		const isJoined =
			missing !== undefined && !code.includes('undefined') && String(found).includes('undefined');
		if (found === undefined || isJoined) return missing ?? { code: code.trim() };
	}
	return undefined;
}
