import { readdirSync } from 'node:fs';
import { join } from 'node:path';
import { FAULT_KINDS } from '../../../../sandbox/faults/FAULT_KINDS';
import { parseFaultSpec } from '../../../../sandbox/faults/FaultSpec';

it('every kind of fault is in the registry', () => {
	const files = readdirSync(join(__dirname, '../../../../sandbox/faults'));
	const kinds = Object.keys(FAULT_KINDS);
	for (const kind of kinds) expect(files).toContain(`${kind}.ts`);
	expect(kinds).toHaveLength(24);
});
it.each([
	[{ kind: 'hang' }],
	[{ kind: 'status', status: 503, body: { any: 'thing' }, operation: 'queue.add', nth: 1 }],
	[{ kind: 'tooManyRequests', retryAfter: 'date', operation: ['queue.add', 'queue.clear'] }],
])('%j is a fault', (spec) => {
	expect(parseFaultSpec(spec)).toBe(spec);
});
it.each([
	[{}, /^A fault's kind is one of brokenHttp, commas, .*wrongLength$/],
	[null, /kind is one of/],
	[{ kind: 'toString' }, /kind is one of/],
	[{ kind: 'status' }, /status: fault must have required property 'status'/],
	[{ kind: 'status', status: 99 }, /must be >= 200/],
	[{ kind: 'hang', fase: 'after' }, /additional properties/],
	[{ kind: 'hang', operation: 'queue.remove' }, /operation must be equal to one of/],
	[{ kind: 'hang', nth: 0 }, /nth must be >= 1/],
])('%j is refused', (spec, message) => {
	expect(() => parseFaultSpec(spec)).toThrow(message);
});
