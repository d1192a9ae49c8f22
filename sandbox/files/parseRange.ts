/**
 * Reads a `Range` header with one range of bytes (RFC 9110, 14).
 *
 * @returns the first and the last byte; `null` when the whole file is to be sent, which is also the
 *   answer to forms that may be ignored; `unsatisfiable` when the range is outside of the file
 */
export function parseRange(
	header: string | undefined,
	sizeBytes: number,
): { start: number; end: number } | 'unsatisfiable' | null {
	const match = /^bytes=(\d*)-(\d*)$/.exec(header ?? '');
	if (!match) return null;
	const [, first = '', last = ''] = match;
	if (first === '' && last === '') return null;
	if (first === '') {
		const count = Math.min(Number(last), sizeBytes);
		return count === 0 ? 'unsatisfiable' : { start: sizeBytes - count, end: sizeBytes - 1 };
	}
	const start = Number(first);
	const end = last === '' ? sizeBytes - 1 : Math.min(Number(last), sizeBytes - 1);
	if (last !== '' && Number(last) < start) return null;
	return start >= sizeBytes ? 'unsatisfiable' : { start, end };
}
