import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import envPaths from 'env-paths';
import { lock } from 'proper-lockfile';
import manifest from '../../package.json' with { type: 'json' };
import { run, step } from './command.mjs';

/** Holds large installations that all checkouts of this project share. */
const CACHE_FOLDER = resolve(
	process.env.VIDEO_GENERATION_CACHE_DIR ?? envPaths(manifest.name, { suffix: '' }).cache,
);

/** npm's options of all installations: none runs a script, or loads again what npm has in its own cache. */
const QUIETLY = '--ignore-scripts --prefer-offline --no-audit --no-fund --loglevel=error'.split(
	' ',
);

const FOR_EVER = { forever: true, factor: 1, minTimeout: 1_000, maxTimeout: 1_000 };
/** What an enclosing `npm run` has set for this project, and what would change an installation. */
const NOT_FOR_NPM =
	/^(NODE_OPTIONS|NODE_ENV|INIT_CWD|npm_(package|lifecycle)_.*|npm_config_(local_prefix|ignore_scripts|omit|include))$/i;

type Install = (folder: string, files: Files) => Promise<unknown>;
type Files = Record<string, string>;

interface LockFile {
	packages: Record<string, { name?: string; version?: string; resolved?: string }>;
}

/** Installs the locked packages of a folder below `scripts/`. @returns the folder in the cache */
export async function installManifest(
	name: string,
	title: string,
	install?: Install,
): Promise<string> {
	const read = (file: string) => readFileSync(join('scripts', name, file), 'utf8');
	const [manifestFile, lockFile] = ['package.json', 'package-lock.json'];
	const files = { [manifestFile]: read(manifestFile), [lockFile]: read(lockFile) };
	return await installInCache(name, title, files, install);
}

/**
 * Returns the folder of an installation in the cache, and installs it if it does not exist yet. The folder
 * gets its name only when it is complete. If two processes want the same installation, the second waits for
 * the first.
 * @param files what is installed: other contents get another folder
 */
export async function installInCache(
	name: string,
	title: string,
	files: Files,
	install: Install = installPackages,
): Promise<string> {
	// Systems may share a home folder, but not compiled code.
	const content = JSON.stringify([process.platform, process.arch, Object.entries(files).sort()]);
	const hash = createHash('sha256').update(content).digest('hex').slice(0, 12);
	const folder = join(CACHE_FOLDER, `${name}-${hash}`);
	if (existsSync(folder)) return folder;
	await mkdir(dirname(folder), { recursive: true });
	const release = await lock(folder, { realpath: false, retries: FOR_EVER });
	try {
		if (existsSync(folder)) return folder;
		const unfinished = `${folder}.installing`;
		// The remains of an installation that failed or was killed.
		await rm(unfinished, { recursive: true, force: true });
		await step(`${title} (once, into ${CACHE_FOLDER})`, () => install(unfinished, files));
		await rename(unfinished, folder);
		return folder;
	} finally {
		await release();
	}
}

/** Installs the packages of a manifest into a folder: those of its lock file, if it has one. */
export async function installPackages(folder: string, files: Files): Promise<void> {
	await mkdir(folder, { recursive: true });
	const { 'package-lock.json': lockFile, ...others } = files;
	const written: Files = { ...others };
	if (lockFile !== undefined) {
		const registry = await runNpm(['config', 'get', 'registry'], folder);
		written['package-lock.json'] = addAddresses(lockFile, registry.trim().replace(/\/?$/, '/'));
	}
	for (const [file, text] of Object.entries(written)) await writeFile(join(folder, file), text);
	await runNpm([lockFile === undefined ? 'install' : 'ci', ...QUIETLY], folder);
}

/**
 * Completes a lock file, which names no registry. Without the address of each package, npm first asks for all
 * of its versions, which takes as long as the installation itself.
 */
function addAddresses(lockFile: string, registry: string): string {
	const { packages, ...others } = JSON.parse(lockFile) as LockFile;
	for (const [path, entry] of Object.entries(packages)) {
		const { name = path.replace(/^.*node_modules\//, ''), version } = entry;
		if (!path || version === undefined) continue;
		entry.resolved ??= `${registry}${name}/-/${name.replace(/^.*\//, '')}-${version}.tgz`;
	}
	return JSON.stringify({ ...others, packages });
}

/** Returns the environment of an npm with the user's own registry, proxy and certificates. */
export function buildNpmEnvironment(): Files {
	const kept = Object.entries(process.env).filter(([name]) => !NOT_FOR_NPM.test(name));
	return Object.fromEntries(kept) as Files;
}

export async function runNpm(args: string[], cwd: string, additions: Files = {}): Promise<string> {
	return await run('npm', args, { cwd, env: { ...buildNpmEnvironment(), ...additions } });
}
