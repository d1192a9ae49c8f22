import type { OutputSchema } from './loadSchema';

/** Lists every field that a schema promises: `usage.remainingCredits`, `projects[].id`. */
export function listPromisedFields(schema: OutputSchema, prefix = ''): string[] {
	return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
		const path = `${prefix}${name}`;
		return [
			path,
			...listPromisedFields(field, `${path}.`),
			...(field.items ? listPromisedFields(field.items, `${path}[].`) : []),
		];
	});
}

/** Lists every field of a value, with the same names. */
export function listFields(value: unknown, prefix = ''): string[] {
	if (typeof value !== 'object' || value === null) return [];
	return Object.entries(value).flatMap(([name, field]: [string, unknown]) => {
		const path = `${prefix}${name}`;
		const inside = Array.isArray(field)
			? field.flatMap((entry) => listFields(entry, `${path}[].`))
			: listFields(field, `${path}.`);
		return [path, ...inside];
	});
}
