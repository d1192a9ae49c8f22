/**
 * The value of a text parameter. Sheets and expressions also give numbers and true or false.
 *
 * @returns the text without spaces around it, '' for an empty value, or undefined for a list, an
 * object or anything else that is not text
 */
export function parseText(value: unknown): string | undefined {
	if (value === undefined || value === null) return '';
	if (typeof value === 'string') return value.trim();
	return typeof value === 'number' || typeof value === 'boolean' ? String(value) : undefined;
}

/**
 * The value of a switch. Sheets and expressions also give `"TRUE"`, `"false"`, 1, 0 and ''.
 *
 * @returns undefined for anything that means neither on nor off
 */
export function parseSwitch(value: unknown): boolean | undefined {
	switch (parseText(value)?.toLowerCase()) {
		case 'true':
		case '1':
			return true;
		case 'false':
		case '0':
		case '':
			return false;
		default:
			return undefined;
	}
}
