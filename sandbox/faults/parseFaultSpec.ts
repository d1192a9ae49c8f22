import { Ajv, type ValidateFunction } from 'ajv';
import { FAULT_KINDS } from './FAULT_KINDS';
import type { FaultSpec } from './FaultSpec';

const OPERATION = {
	enum: [
		'queue.add',
		'queue.getProgress',
		'queue.clear',
		'video.getAll',
		'project.getAll',
		'account.get',
		'video.file',
	],
};

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
 * A fault that came from outside the type checker. A misspelt option is refused: it would make a
 * test pass that tests nothing.
 *
 * @throws TypeError that says what is wrong, or which kinds there are
 */
export function parseFaultSpec(input: unknown): FaultSpec {
	const kind = typeof input === 'object' && input !== null && 'kind' in input ? input.kind : '';
	const validate = validators.get(String(kind));
	if (!validate) {
		throw new TypeError(`A fault's kind is one of ${[...validators.keys()].join(', ')}`);
	}
	if (!validate(input)) {
		throw new TypeError(
			`Fault ${String(kind)}: ${ajv.errorsText(validate.errors, { dataVar: 'fault' })}`,
		);
	}
	return input;
}
