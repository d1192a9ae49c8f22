import type { JsonValue } from 'n8n-workflow';

/** An error as JSON: what a function can read of it, without addresses, times and stacks. */
export type DescribedError = Record<string, JsonValue>;

/** Fields of an error, enumerable or not, that are the same on every machine. */
const FIELDS = [
	...['name', 'message', 'description', 'messages', 'httpCode', 'isAxiosError', 'status'],
	...['code', 'syscall', 'hostname', 'host', 'address', 'reason', 'library'],
];

const MAX_CAUSES = 8;

/**
 * Describes an error with its causes and, if it is an aggregate, the errors that it holds. Fields
 * that are undefined are left out.
 */
export function describeError(error: unknown, depth = 0): DescribedError {
	if (typeof error !== 'object' || error === null) return { thrown: normalize(error) };
	const values = error as Record<string, unknown>;
	const described: DescribedError = {};
	for (const field of FIELDS) {
		if (values[field] !== undefined) described[field] = normalize(values[field]);
	}
	const { errors, cause } = values as { errors?: unknown[]; cause?: unknown };
	// A list of Node.js itself is not equal to one of the tests' context.
	if (errors) described.errors = [...errors].map((each) => describeError(each, depth + 1));
	if (cause !== undefined && depth < MAX_CAUSES) described.cause = describeError(cause, depth + 1);
	return described;
}

/** Replaces everything that differs from one run, machine or version of Node.js to the next. */
function normalize(value: unknown): JsonValue {
	if (Array.isArray(value)) return value.map((each) => normalize(each));
	if (typeof value === 'number' || typeof value === 'boolean' || value === null) return value;
	if (typeof value !== 'string') return typeof value;
	return (
		value
			.replace(/((?:\d+\.){3}\d+|::1|localhost|\w+\.test):\d+/g, '$1:PORT')
			.replace(/\b[\dA-F]{8,16}:error:/g, 'THREAD:error:')
			// The function and the file in which OpenSSL found the error.
			.replace(/ routines:\w*:([^:]*):\S*\.c:\d+:/g, ' routines::$1:')
			.replace('ssl/tls alert', 'sslv3 alert')
			.replace(/; if the root CA is installed locally.*/, '')
			.trim()
	);
}
