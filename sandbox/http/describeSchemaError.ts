import type { FastifySchemaValidationError } from 'fastify/types/schema';

/** What a request got wrong, as the service would say it: names the field, shows no pattern. */
export function describeSchemaError(error: FastifySchemaValidationError | undefined): string {
	const field = error?.instancePath.slice(1).replaceAll('/', '.') ?? '';
	if (error?.keyword === 'required') return `${String(error.params.missingProperty)} is required`;
	if (error?.keyword === 'pattern') return `Invalid ${field} format`;
	if (error?.keyword === 'enum') return `Invalid ${field} value`;
	return `${field === '' ? 'The body' : field} ${error?.message ?? 'is invalid'}`;
}
