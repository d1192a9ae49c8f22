/**
 * A value as exactly one segment of a path, whatever it holds.
 *
 * @returns undefined for what no segment can be: `.` and `..` name other places on the way to the
 * service even when they are percent-encoded, and half a surrogate pair has no encoding
 */
export function encodePathSegment(value: string): string | undefined {
	if (value === '' || value === '.' || value === '..') return undefined;
	try {
		return encodeURIComponent(value);
	} catch {
		return undefined;
	}
}
