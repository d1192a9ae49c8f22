/** An ID or a name as text, whether it came as text or as a number; anything else is none: ''. */
export function readText(value: unknown): string {
	return typeof value === 'string' || typeof value === 'number' ? String(value).trim() : '';
}
