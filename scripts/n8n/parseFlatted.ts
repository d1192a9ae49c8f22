type Json = string | number | boolean | null | Json[] | { [key: string]: Json };

/**
 * Reads the form in which n8n hands out the data of an execution: a list of values in which each
 * string inside an object or array is the place of the value meant. Shared values stay shared.
 */
export function parseFlatted(text: string): unknown {
	const places = JSON.parse(text) as Json[];
	const done = new Set<number>();

	function resolve(place: number): Json {
		const value = places[place] ?? null;
		if (typeof value !== 'object' || value === null || done.has(place)) return value;
		// Marked before its parts are read: they may point back to it.
		done.add(place);
		const parts = value as Record<string, Json>;
		for (const [key, part] of Object.entries(parts)) {
			if (typeof part === 'string') parts[key] = resolve(Number(part));
		}
		return value;
	}

	return resolve(0);
}
