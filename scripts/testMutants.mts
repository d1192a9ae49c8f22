import { createHash } from 'node:crypto';
import { cpSync, existsSync, readFileSync, symlinkSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { parseArgs } from 'node:util';
import { build } from './build.mjs';
import { installManifest } from './support/cache.mjs';
import { run } from './support/processes.mjs';
import { step } from './support/steps.mjs';

const SOURCES = 'nodes/VideoGeneration';
/** The copy of the project whose sources contain the mutants. */
const COPY = resolve('.n8n-local/mutants');
const JEST = ['--config', 'test/mutants/jest.config.js'];

/** A small change of the code, as StrykerJS describes it. Lines and columns are counted from 0. */
interface Mutant {
	id: string;
	fileName: string;
	location: Record<'start' | 'end', { line: number; column: number }>;
	replacement: string;
}

/**
 * `npm run test:mutants -- failures`: changes the code of a folder of the node in small ways, one after
 * the other, and lists the changes that no unit or engine test detects. `--sample 300` makes only 300
 * changes, chosen by a hash, in one to two hours.
 */
export default async function testMutants(args: string[]): Promise<number> {
	const { values, positionals } = parseArgs({
		args,
		allowPositionals: true,
		options: { sample: { type: 'string', default: 'Infinity' } },
	});
	const folder = join(SOURCES, positionals[0] ?? '');
	if (!existsSync(folder)) throw new Error(`There is no folder ${folder}.`);
	const installation = await installManifest('mutants', 'Installing StrykerJS');
	// The engine tests read the descriptions of files, and icons, from the built package.
	await build();
	await copyProject();
	const insertMutants = ['scripts/mutants/insertMutants.mjs', installation, join(COPY, folder)];
	const mutants = JSON.parse(await run(process.execPath, insertMutants)) as Mutant[];
	const sample = mutants
		.map((mutant) => ({ ...mutant, ...describe(mutant) }))
		.sort((a, b) => (a.rank < b.rank ? -1 : 1))
		.slice(0, Number(values.sample));
	const testsOf = await step('Running all tests once', findTests);
	let survivors = 0;
	for (const { id, text } of sample) {
		const tests = testsOf(id);
		const isDetected = tests.length > 0 && !(await passes(tests, id));
		if (isDetected) continue;
		survivors += 1;
		console.log(`${text}\n  ${tests.length === 0 ? 'no test reaches it' : 'survives'}`);
	}
	console.log(`${sample.length - survivors} of ${sample.length} mutants are detected.`);
	return survivors === 0 ? 0 : 1;
}

async function copyProject(): Promise<void> {
	await rm(COPY, { recursive: true, force: true });
	const files = (await run('git', ['ls-files', '--cached', '--others', '--exclude-standard']))
		.split('\n')
		.filter(existsSync);
	for (const file of [...files, 'dist']) cpSync(file, join(COPY, file), { recursive: true });
	symlinkSync(resolve('node_modules'), join(COPY, 'node_modules'));
}

/** @returns a function that lists the test files that reach a mutant */
async function findTests(): Promise<(id: string) => string[]> {
	const file = join(COPY, 'reached.jsonl');
	const env = { ...process.env, MUTANTS_REACHED: file };
	await run('jest', JEST, { cwd: COPY, env });
	const reached = readFileSync(file, 'utf8')
		.trim()
		.split('\n')
		.map((line) => JSON.parse(line) as { testPath: string; reached: string[] });
	return (id) => reached.filter((each) => each.reached.includes(id)).map((each) => each.testPath);
}

async function passes(tests: string[], id: string): Promise<boolean> {
	const env = { ...process.env, __STRYKER_ACTIVE_MUTANT__: id };
	return await run('jest', [...JEST, '--bail', '--runTestsByPath', ...tests], {
		cwd: COPY,
		env,
	}).then(
		() => true,
		() => false,
	);
}

/** Describes a mutant. Its rank is a hash of its text, so it is the same wherever its line stands. */
function describe({ fileName, location: { start, end }, replacement }: Mutant) {
	const file = fileName.slice(COPY.length + 1);
	const lines = readFileSync(file, 'utf8')
		.split('\n')
		.slice(start.line, end.line + 1);
	const last = lines.length - 1;
	lines[last] = lines[last]?.slice(0, end.column) ?? '';
	const original = lines.join('\n').slice(start.column);
	const change = `${original}\n  becomes ${replacement}`;
	const rank = createHash('sha256')
		.update(`${file} ${lines[0] ?? ''} ${change}`)
		.digest('hex');
	return { text: `${file}:${start.line + 1}: ${change}`, rank };
}
