import { createHash } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { relative } from 'node:path';

/**
 * Stryker's checkers say which mutants are not worth a test. This one leaves a sample, so Stryker's share
 * of detected mutants is that of the sample.
 */
const checker = {
	init: () => Promise.resolve(),
	// One group, so that the check below sees all mutants.
	group: (mutants) => Promise.resolve([mutants.map(({ id }) => id)]),
	check: (mutants) => {
		const ranked = mutants.map((mutant) => [getRank(mutant), mutant.id]).sort();
		const others = ranked.slice(Number(process.env.MUTANTS_SAMPLE));
		const passed = mutants.map(({ id }) => [id, { status: 'passed' }]);
		const rest = others.map(([, id]) => [
			id,
			{ status: 'compileError', reason: 'Not in the sample' },
		]);
		return Promise.resolve(Object.fromEntries([...passed, ...rest]));
	},
};

/** Returns a hash that is the same wherever the line of a mutant stands. */
function getRank({ fileName, location: { start }, mutatorName, replacement }) {
	const line = readFileSync(fileName, 'utf8').split('\n')[start.line];
	const parts = [relative('', fileName), line, start.column, mutatorName, replacement];
	return createHash('sha256').update(JSON.stringify(parts)).digest('hex');
}

export const strykerPlugins = [{ kind: 'Checker', name: 'sample', factory: () => checker }];
