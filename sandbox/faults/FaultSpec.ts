import { Ajv, type ValidateFunction } from 'ajv';
import { type Operation, OPERATIONS } from '../domain/model';
import { FAULT_KINDS } from './FAULT_KINDS';

/** The requests that a fault affects; all of them by default. */
export interface FaultMatch {
	operation?: Operation | Operation[];
	/** Only requests with this text in their raw path, query or body, such as an id. */
	containing?: string;
	/** Only the nth matching request, counted from 1. */
	nth?: number;
	/** Number of matching requests to skip first. */
	skip?: number;
	/** Maximum number of requests to affect. */
	times?: number;
}

type Kinds = typeof FAULT_KINDS;

/** A fault as a test or a control request describes it. */
export type FaultSpec = {
	[Kind in keyof Kinds]: { kind: Kind } & FaultMatch & Parameters<Kinds[Kind]['create']>[0];
}[keyof Kinds];

const OPERATION = { enum: OPERATIONS };
const MATCH = {
	operation: { anyOf: [OPERATION, { type: 'array', items: OPERATION }] },
	containing: { type: 'string' },
	nth: { type: 'integer', minimum: 1 },
	skip: { type: 'integer', minimum: 0 },
	times: { type: 'integer', minimum: 1 },
};

type Described = Record<string, { options: object; required?: readonly string[] }>;

const ajv = new Ajv({ allErrors: true });
const validators = new Map(
	Object.entries(FAULT_KINDS as Described).map(
		([name, kind]): [string, ValidateFunction<FaultSpec>] => [
			name,
			ajv.compile<FaultSpec>({
				type: 'object',
				properties: { kind: { const: name }, ...MATCH, ...kind.options },
				required: ['kind', ...(kind.required ?? [])],
				additionalProperties: false,
			}),
		],
	),
);

/**
 * Checks a fault that the compiler has not seen. A misspelt option is refused, because a test with
 * one would pass without testing anything.
 *
 * @throws TypeError that describes the mistake, or lists the known kinds
 */
export function parseFaultSpec(input: unknown): FaultSpec {
	const kind = typeof input === 'object' && input !== null && 'kind' in input ? input.kind : '';
	const validate = validators.get(String(kind));
	if (!validate) {
		throw new TypeError(`A fault's kind is one of ${[...validators.keys()].sort().join(', ')}`);
	}
	if (!validate(input)) {
		throw new TypeError(
			`Fault ${String(kind)}: ${ajv.errorsText(validate.errors, { dataVar: 'fault' })}`,
		);
	}
	return input;
}
