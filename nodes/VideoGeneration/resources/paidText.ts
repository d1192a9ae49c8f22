import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { createInputError, requireText } from '../item/parameters';

export const NOT_SPENT = 'Nothing was queued for this item, and no credit was spent.';

/** Text that n8n replaces in an expression. */
const TYPED_EXPRESSION = /\{\{\s*\$(?:json|node|\()/;

/**
 * A text that decides what is paid for. n8n leaves out a field that an item lacks, so a misspelt column would go unnoticed.
 *
 * @param getAdvice what to do about an expression that may have no value
 */
export function getPaidText(
	context: IExecuteSingleFunctions,
	name: string,
	label: string,
	getAdvice: (code: string) => string,
): string {
	const refuse = (problem: string, whatToDo: string) =>
		createInputError(context, problem, `${whatToDo} ${NOT_SPENT}`);
	const value: unknown = context.getNodeParameter(name, '');
	const missing = findMissing(context, name, value);
	if (missing !== undefined) {
		const { field, code } = missing;
		const problem =
			field === undefined
				? `An expression in '${label}' has no value`
				: `'${label}' names the field '${field}', which this item does not have`;
		throw refuse(problem, `Check {{ ${code} }}. ${getAdvice(code)}`);
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
	/\$json(?:\??\.([\p{L}_$][\p{L}\p{N}_$]*)|(?:\?\.)?\[\s{0,9}(["'`])(.{1,200}?)\2\s{0,9}\])/gu;

/** The first part of an expression that has no value, and the field that the item lacks, if that is why. */
function findMissing(context: IExecuteSingleFunctions, name: string, value: unknown) {
	const raw: unknown = context.getNodeParameter(name, '', { rawExpressions: true });
	if (typeof raw !== 'string' || !raw.startsWith('=')) return undefined;
	const { json } = context.getInputData();
	for (const rest of raw.split('{{').slice(1)) {
		const [code = ''] = rest.split('}}');
		const named = [...code.matchAll(FIELD)].map(([reference, plain, , quoted = '']) => ({
			field: plain ?? quoted,
			code: reference,
		}));
		const missing = named.find(({ field }) => json[field] === undefined);
		const part = `{{${code}}}`;
		const found =
			raw === `=${part}` ? value : context.evaluateExpression(part, context.getItemIndex());
		// JavaScript joins a missing value to a text as "undefined", which may also be a word of the other fields.
		const given = JSON.stringify([code, ...named.map(({ field }) => json[field])]);
		const isJoined =
			missing !== undefined && !given.includes('undefined') && String(found).includes('undefined');
		if (found === undefined || isJoined) return missing ?? { field: undefined, code: code.trim() };
	}
	return undefined;
}
