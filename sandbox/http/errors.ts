import type { FastifyReply } from 'fastify';
import type { FastifySchemaValidationError } from 'fastify/types/schema';
import { ServiceError } from '../domain/model';

const STATUS_OF_CODE = {
	invalidInput: 400,
	insufficientCredits: 402,
	notFound: 404,
	conflict: 409,
} as const;

/**
 * Replies with the only error body in the specification, `{ status: 'error', message }` ("Errors",
 * 2). An error in the request's form is a 400, as everywhere in the API.
 */
export function replyWithError(error: unknown, reply: FastifyReply): FastifyReply {
	const status = getStatus(error);
	const message = error instanceof Error && status < 500 ? error.message : 'Internal server error';
	return reply.code(status).send({ status: 'error', message });
}

function getStatus(error: unknown): number {
	if (error instanceof ServiceError) return STATUS_OF_CODE[error.code];
	if (typeof error !== 'object' || error === null || !('statusCode' in error)) return 500;
	const status = Number(error.statusCode);
	if (status === 401 || status === 404 || status === 429) return status;
	return status >= 400 && status < 500 ? 400 : 500;
}

/** Describes an invalid field as the service would: with its name, without a pattern. */
export function describeSchemaError(error: FastifySchemaValidationError | undefined): string {
	const field = error?.instancePath.slice(1).replaceAll('/', '.') ?? '';
	if (error?.keyword === 'required') return `${String(error.params.missingProperty)} is required`;
	if (error?.keyword === 'pattern') return `Invalid ${field} format`;
	if (error?.keyword === 'enum') return `Invalid ${field} value`;
	return `${field === '' ? 'The body' : field} ${error?.message ?? 'is invalid'}`;
}
