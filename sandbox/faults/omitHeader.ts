/** The headers without one of them. */
export function omitHeader(
	headers: Readonly<Record<string, string>>,
	name: string,
): Record<string, string> {
	return Object.fromEntries(Object.entries(headers).filter(([key]) => key !== name));
}
