import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import type { JsonValue } from 'n8n-workflow';
import manifest from 'n8n-core/package.json';
import type { Received } from './Stage';

/** An error as JSON: what a function can read of it, without addresses, times and stacks. */
type DescribedError = Record<string, JsonValue>;

/** What became of a request that failed, as the node and the service saw it. */
export type RecordedOutcome = {
	/** What was simulated: everything else really happened. */
	simulated?: string;
	/** How much of the request had reached the service. */
	received: Received;
} & (
	| { place: 'request' | 'body'; error: DescribedError }
	/** The response of a proxy, which looks like one of the service. */
	| { place: 'response'; statusCode: number }
);

/** Each failure's outcomes, with the engines that have them. */
type RecordedErrors = Record<string, { engines: string[]; outcome: RecordedOutcome }[]>;

const FILE = path.resolve(__dirname, '../../errorsOfN8n.json');

/** The versions on which an outcome depends: n8n's engine, and the major version of Node.js. */
export const ENGINE = `n8n-core ${manifest.version}, Node.js ${process.versions.node.split('.', 1).join()}`;

export function loadRecordedErrors(): RecordedErrors {
	return JSON.parse(readFileSync(FILE, 'utf8')) as RecordedErrors;
}

/** Returns the outcome that was recorded with this engine. */
export function findRecorded(failure: string): RecordedOutcome | undefined {
	const cases = loadRecordedErrors()[failure];
	return cases?.find(({ engines }) => engines.includes(ENGINE))?.outcome;
}

export function record(failure: string, outcome: RecordedOutcome): void {
	const failures = loadRecordedErrors();
	const cases = (failures[failure] ?? [])
		.map((each) => ({ ...each, engines: each.engines.filter((engine) => engine !== ENGINE) }))
		.filter(({ engines }) => engines.length > 0);
	const same = cases.find((each) => isDeepStrictEqual(each.outcome, outcome));
	if (same) same.engines = [...same.engines, ENGINE].sort();
	else cases.push({ engines: [ENGINE], outcome });
	failures[failure] = cases;
	writeFileSync(FILE, `${JSON.stringify(failures, null, '\t')}\n`);
}

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
