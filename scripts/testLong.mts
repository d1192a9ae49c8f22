import { relative } from 'node:path';
import { Listr } from 'listr2';
import { build } from './build.mjs';
import { run, step, STEP_OPTIONS } from './support/command.mjs';

/** A test that plays random plans. */
interface Theme {
	name: string;
	file: string;
}

interface Report {
	testResults: { name: string; assertionResults: { fullName: string }[] }[];
}

const JEST = ['--config=jest.config.js'];
const FILES = ['laws/'];
/** The number of plans; a theme may play a share of it, or more. */
const LONG = { RUNS: '2500' };
/** How fast-check names the plan that failed. */
const FAILED_PLAN = /seed: (-?\d+), path: "([\d:]+)"/;

/**
 * `npm run test:long`: plays thousands of random plans, new ones each time. Each theme has a process of its
 * own, for a process keeps memory of every plan, and two themes play at a time.
 * @param words only themes whose names have them all
 */
export default async function testLong(words: string[]): Promise<number> {
	await build();
	const env = { ...LONG, ...process.env };
	const all = await step('Looking for themes', () => findThemes(env));
	const themes = all.filter(({ name }) => words.every((word) => name.includes(word)));
	if (themes.length === 0) {
		throw new Error(`The themes are:\n${all.map(({ name }) => name).join('\n')}`);
	}
	const reports: string[] = [];
	const list = new Listr(
		themes.map(({ name, file }) => ({
			title: name,
			task: async () => {
				const args = [...JEST, '--runTestsByPath', file, '-t', `^${escapePattern(name)}$`];
				await run('jest', args, { env, shownLines: Infinity }).catch((error: unknown) => {
					const { message } = error as Error;
					reports.push(message);
					throw new Error(describeRepetition(name, message));
				});
			},
		})),
		{ ...STEP_OPTIONS, concurrent: 2, exitOnError: false, collectErrors: 'minimal' },
	);
	await list.run();
	for (const report of reports) console.error(`\n${report}`);
	return list.errors.length === 0 ? 0 : 1;
}

/** Has jest load the files without running a test. */
async function findThemes(env: NodeJS.ProcessEnv): Promise<Theme[]> {
	const report = await run('jest', [...JEST, ...FILES, '-t', '^$', '--json'], { env });
	const { testResults } = JSON.parse(report) as Report;
	return testResults.flatMap(({ name: file, assertionResults }) =>
		assertionResults.map(({ fullName: name }) => ({ name, file: relative('.', file) })),
	);
}

function describeRepetition(name: string, report: string): string {
	const [, seed, path] = FAILED_PLAN.exec(report) ?? [];
	if (seed === undefined) return 'No plan failed: the report is below';
	return `To repeat it: SEED=${seed} REPLAY=${path} npm run test:long -- "${name}"`;
}

const escapePattern = (text: string) => text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
