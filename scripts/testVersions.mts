import { mkdir, readFile, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { format, resolveConfig } from 'prettier';
import current from './n8n/package.json' with { type: 'json' };
import { build } from './build.mjs';
import { NODE_MAJORS } from './requirements.js';
import { runVisibly } from './support/processes.mjs';
import { provideN8n } from './test.mjs';
import { ENGINE_ARGS, installEngine, OLDEST, VERSIONS, WHOLE_ARGS } from './versions.mjs';

const REPORTS = 'coverage/versions';
const README = 'README.md';
const BEGIN = '<!-- versions: npm run test:versions -->';
const END = '<!-- end -->';

/** The parts of a jest report that are used here. */
interface Report {
	success: boolean;
	testResults: { assertionResults: { status: string; title: string }[] }[];
}

interface Row {
	version: string;
	engine: Report;
	/** The report of the tests in a real n8n, if they run for this version. */
	real?: Report;
}

/**
 * `npm run test:versions`: runs the same engine tests in each version of n8n, and tests in a real
 * n8n of the oldest and the newest one. Writes the results into the README.
 */
export default async function testVersions(): Promise<number> {
	await build();
	await mkdir(REPORTS, { recursive: true });
	const rows: Row[] = [];
	for (const version of VERSIONS) {
		const env = { VIDEO_GENERATION_ENGINE: await installEngine(version) };
		rows.push({ version, engine: await runJest(version, ENGINE_ARGS, env) });
	}
	const newest = current.dependencies.n8n;
	rows.push({ version: newest, engine: await runJest(newest, ['test/engine'], {}) });
	for (const [name, row] of [
		['oldest', rows[0]],
		['n8n', rows.at(-1)],
	] as const) {
		if (!row) continue;
		row.real = await runJest(`${row.version}-whole`, WHOLE_ARGS, await provideN8n(name));
	}
	const isGood = rows.every(({ engine, real }) => engine.success && real?.success !== false);
	if (isGood) await writeReadme(rows);
	else console.log(`Tests have failed, so ${README} is left as it is.`);
	return isGood ? 0 : 1;
}

async function runJest(name: string, args: string[], env: Record<string, string>): Promise<Report> {
	const file = join(REPORTS, `${name}.json`);
	await rm(file, { force: true });
	console.log(`\nn8n ${name}`);
	const more = ['--json', `--outputFile=${file}`];
	await runVisibly('jest', [...args, ...more], { env: { ...process.env, ...env } });
	return JSON.parse(await readFile(file, 'utf8')) as Report;
}

async function writeReadme(rows: Row[]): Promise<void> {
	const readme = await readFile(README, 'utf8');
	const from = readme.indexOf(BEGIN);
	const to = readme.indexOf(END, from);
	if (from === -1 || to === -1) throw new Error(`Nothing in ${README} is marked with ${BEGIN}.`);
	const text = `${readme.slice(0, from)}${BEGIN}\n\n${describe(rows)}\n\n${readme.slice(to)}`;
	const options = await resolveConfig(README);
	await writeFile(README, await format(text, { ...options, filepath: README }));
	console.log(`${README} is written.`);
}

function describe(rows: Row[]): string {
	const versions = listWords(rows.map(({ version }) => version));
	const nodes = listWords(NODE_MAJORS.map(String));
	return [
		`Works with n8n ${OLDEST} and later; tested with n8n ${versions}, and loaded in Node.js ${nodes}.`,
		...describeDifferences(rows),
	].join('\n\n');
}

/** Describes each difference once, together with the others of the same versions. */
function describeDifferences(rows: Row[]): string[] {
	const found = rows.map(({ version, engine }) => ({ version, names: findDifferences(engine) }));
	const byVersions = new Map<string, string[]>();
	for (const name of new Set(found.flatMap(({ names }) => [...names].sort()))) {
		const versions = found.filter(({ names }) => names.has(name)).map(({ version }) => version);
		const key = listWords(versions);
		byVersions.set(key, [...(byVersions.get(key) ?? []), name]);
	}
	const lines = [...byVersions].map(([key, names]) => `- n8n ${key}: ${names.join('. ')}.`);
	return lines.length > 0 ? [`What differs:\n\n${lines.join('\n')}`] : [];
}

/** Returns the differences in the names of skipped tests: see `test/support/engine/testWith.ts`. */
function findDifferences({ testResults }: Report): Set<string> {
	const titles = testResults.flatMap(({ assertionResults }) =>
		assertionResults.map(({ title }) => title),
	);
	const found = titles.map((title) => / \(not here: (.*)\)$/.exec(title)?.[1]);
	return new Set(found.filter((difference) => difference !== undefined));
}

function listWords(words: string[]): string {
	return new Intl.ListFormat('en-GB').format(words);
}
