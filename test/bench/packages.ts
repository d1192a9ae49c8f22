import { execFileSync } from 'node:child_process';
import { mkdirSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { keepFigures } from './keepFigures';
import { median } from './median';

/** The folder is inside the project, so that all packages find the same n8n-workflow. */
const FOLDER = resolve('.n8n-local', 'bench', 'packages');
const OURS = 'n8n-nodes-video-generation';
const PEERS = ['@mendable/n8n-nodes-firecrawl', '@blotato/n8n-nodes-blotato'];
const RUNS = 15;

export interface PackageFigures {
	name: string;
	version: string;
	/** Size of the unpacked package's folder, in KiB, with everything in it. */
	sizeKiB: number;
	loadMs: number;
}

/**
 * A script that loads the files that a package declares for n8n, in a process that has already
 * loaded n8n-workflow, and prints the duration.
 */
const LOAD = `
require('n8n-workflow');
const { join } = require('node:path');
const folder = process.argv[1];
const { nodes = [], credentials = [] } = require(join(folder, 'package.json')).n8n;
const startedAt = process.hrtime.bigint();
for (const file of [...nodes, ...credentials]) {
	for (const Type of Object.values(require(join(folder, file)))) if (typeof Type === 'function') new Type();
}
console.log(Number(process.hrtime.bigint() - startedAt) / 1e6);
`;

/** Compares size and load time with two other community packages for n8n. */
function main(): void {
	install();
	const names = [OURS, ...PEERS];
	const times = new Map<string, number[]>(names.map((name) => [name, []]));
	for (let run = 0; run < RUNS; run++) {
		for (const name of names) times.get(name)?.push(measureLoad(name));
	}
	const figures = names.map((name): PackageFigures => {
		const folder = join(FOLDER, 'node_modules', name);
		const { version } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
			version: string;
		};
		const loadMs = Number(median(times.get(name) ?? []).toFixed(1));
		return { name, version, sizeKiB: Math.round(measureFolder(folder) / 1024), loadMs };
	});
	console.table(figures);
	keepFigures('packages', figures);
}

function install(): void {
	rmSync(FOLDER, { recursive: true, force: true });
	mkdirSync(FOLDER, { recursive: true });
	const pack = ['pack', '--ignore-scripts', '--json', '--pack-destination', FOLDER];
	const [{ filename }] = JSON.parse(execFileSync('npm', pack, { encoding: 'utf8' })) as [
		{ filename: string },
	];
	writeFileSync(join(FOLDER, 'package.json'), JSON.stringify({ private: true }));
	// n8n installs a community package with these flags.
	const flags = ['--ignore-scripts', '--omit=peer', '--omit=dev', '--legacy-peer-deps'];
	const env = { ...process.env, npm_config_local_prefix: FOLDER };
	const args = ['install', join(FOLDER, filename), ...PEERS, ...flags, '--no-audit'];
	execFileSync('npm', args, { cwd: FOLDER, env });
}

function measureLoad(name: string): number {
	const folder = join(FOLDER, 'node_modules', name);
	return Number(execFileSync(process.execPath, ['-e', LOAD, folder], { cwd: FOLDER }).toString());
}

function measureFolder(folder: string): number {
	return readdirSync(folder, { withFileTypes: true }).reduce((sum, entry) => {
		const path = join(folder, entry.name);
		return sum + (entry.isDirectory() ? measureFolder(path) : statSync(path).size);
	}, 0);
}

main();
