import { existsSync, readFileSync } from 'node:fs';
import { mkdir, readdir, rename, rm } from 'node:fs/promises';
import { delimiter, dirname, join, resolve } from 'node:path';
import { x as extract } from 'tar';
import manifest from '../../package.json' with { type: 'json' };
import { installManifest, installPackages, runNpm } from '../support/cache.mjs';
import { run } from '../support/command.mjs';

/** The oldest Node.js that n8n 2.41 runs in. */
const NODE_MAJOR = 24;

/** Another one that the native module of n8n's expression engine is built for: n8n Cloud runs n8n in it. */
const CLOUD_NODE_MAJOR = 26;

/** The compiled part of n8n's database driver. */
const DRIVER = join('node_modules', 'sqlite3', 'build');

/** The node binary that runs n8n, and n8n's script for it. */
export interface N8nInstallation {
	node: string;
	script: string;
}

/** Installs n8n and the Node.js that it needs. */
export async function installN8n(): Promise<N8nInstallation> {
	const isAsInCloud = Number(process.versions.node.split('.')[0]) === CLOUD_NODE_MAJOR;
	const node = await installNode(isAsInCloud ? CLOUD_NODE_MAJOR : NODE_MAJOR);
	const title = 'Installing n8n (2 GB), and its database driver, which may have to be compiled';
	const folder = await installManifest('n8n', title, async (cwd, files) => {
		// The driver is compiled in a folder of its own while the other packages are installed.
		const driver = join(cwd, 'driver');
		await Promise.all([installPackages(cwd, files), buildDatabaseDriver(driver, files, node)]);
		await rename(join(driver, DRIVER), join(cwd, DRIVER));
		await rm(driver, { recursive: true });
	});
	return { node, script: join(folder, 'node_modules', 'n8n', 'bin', 'n8n') };
}

/** @param files those of n8n, whose lock file has the driver's packages, too */
async function buildDatabaseDriver(
	cwd: string,
	files: Record<string, string>,
	node: string,
): Promise<void> {
	const dependencies = { sqlite3: '*' };
	const manifestFile = JSON.stringify({ private: true, dependencies });
	await installPackages(cwd, { ...files, 'package.json': manifestFile });
	const prefix = dirname(dirname(node));
	const hasHeaders = existsSync(join(prefix, 'include', 'node', 'node.h'));
	try {
		await runNpm(['rebuild', 'sqlite3', '--ignore-scripts=false'], cwd, {
			// A compiler takes three times as long for faster code.
			CFLAGS: '-O0',
			CXXFLAGS: '-O0',
			JOBS: 'max',
			// node-gyp uses these headers instead of downloading others.
			...(hasHeaders && { npm_config_nodedir: prefix }),
		});
		// npm reports a rebuild as successful even if it skipped the scripts.
		await run(node, ['-e', 'require("sqlite3")'], { cwd });
	} catch (error) {
		throw new Error(
			`n8n's database driver (sqlite3) could not be compiled. Install a C++ compiler, make and Python 3 (on Debian: build-essential python3), then start again.\n${(error as Error).message}`,
		);
	}
}

/** Returns the node binary of a version: the running one if it fits, else one in the cache. */
export async function installNode(major: number): Promise<string> {
	if (Number(process.versions.node.split('.')[0]) === major) return process.execPath;
	const system = `${process.platform}-${process.arch}`.replace('win32', 'win');
	const name = system === 'darwin-arm64' ? `node-bin-${system}` : `node-${system}`;
	const folder = await installManifest(`node/${major}`, `Installing Node.js ${major}`);
	const home = join(folder, 'node_modules', name);
	const { bin } = JSON.parse(readFileSync(join(home, 'package.json'), 'utf8')) as {
		bin: { node: string };
	};
	return join(home, bin.node);
}

/** Returns a path in which programs find a version of Node.js, and the npm that comes with it. */
export async function provideNode(major: number): Promise<string> {
	const node = await installNode(major);
	const version = major < NODE_MAJOR ? 10 : 11;
	const folder = await installManifest(`npm/${version}`, `Installing npm ${version}`);
	const bin = join(folder, 'node_modules', '.bin');
	return [bin, dirname(node), process.env.PATH].join(delimiter);
}

/** Packs the built package, as it would be published, into one folder, and unpacks it as another one. */
export async function unpackPackage(packFolder: string, folder: string): Promise<void> {
	for (const each of [packFolder, folder]) {
		await rm(each, { recursive: true, force: true });
		await mkdir(each, { recursive: true });
	}
	await runNpm(['pack', '--ignore-scripts', '--pack-destination', packFolder], process.cwd());
	const [tarball = ''] = await readdir(packFolder);
	// Every npm tarball contains one folder.
	await extract({ file: join(packFolder, tarball), cwd: folder, strip: 1 });
}

/** Returns the folder in which n8n keeps this package. */
export function getPackageFolder(userFolder: string): string {
	return resolve(userFolder, '.n8n', 'nodes', 'node_modules', manifest.name);
}

/** Installs the packed package where n8n installs a community package: it depends on no other. */
export async function installPackage(userFolder: string, packFolder: string): Promise<void> {
	await unpackPackage(packFolder, getPackageFolder(userFolder));
}
