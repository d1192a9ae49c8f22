import { findProgram, PROGRAMS, type Program } from '../../../scripts/requirements';

/**
 * A `describe` whose tests need programs beside n8n. If a program is missing, the tests are
 * skipped, and the title says what to install. In continuous integration, no test may be skipped.
 */
export function describeWith(programs: Program[], title: string, tests: () => void): void {
	const missing = programs.filter((program) => !findProgram(...PROGRAMS[program].names));
	if (missing.length === 0) {
		describe(title, tests);
		return;
	}
	const needs = missing.map((program) => PROGRAMS[program].install).join(' and ');
	if (process.env.CI) throw new Error(`These tests need ${needs}.`);
	describe.skip(`${title} (skipped: install ${needs})`, tests);
}
