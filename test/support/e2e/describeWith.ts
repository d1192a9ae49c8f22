import { findProgram, PROGRAMS, type Program } from '../../../scripts/requirements';

/**
 * A `describe` whose tests need programs beside n8n. Where one is missing they are skipped, and the
 * title says what to install. In continuous integration the run has ended before that.
 */
export function describeWith(programs: Program[], title: string, tests: () => void): void {
	const missing = programs.filter((program) => !findProgram(program));
	if (missing.length === 0) {
		describe(title, tests);
		return;
	}
	const needs = missing.map((program) => PROGRAMS[program].needs).join(' and ');
	describe.skip(`${title} (skipped: install ${needs})`, tests);
}
