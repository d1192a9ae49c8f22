import { createHash } from 'node:crypto';
import { existsSync, readFileSync } from 'node:fs';
import { mkdir, rename, rm, writeFile } from 'node:fs/promises';
import { dirname, join, resolve } from 'node:path';
import envPaths from 'env-paths';
import { lock } from 'proper-lockfile';
import manifest from '../../package.json' with { type: 'json' };
import { run, step } from './command.mjs';
import installWithBun from './installWithBun.json' with { type: 'json' };

/** Holds large installations that all checkouts of this project share. */
const CACHE_FOLDER = resolve(
	process.env.VIDEO_GENERATION_CACHE_DIR ?? envPaths(manifest.name, { suffix: '' }).cache,
);

const FOR_EVER = { forever: true, factor: 1, minTimeout: 1_000, maxTimeout: 1_000 };
/** What an enclosing `npm run` has set for this project, and what would change an installation. */
const NOT_FOR_NPM =
	/^(NODE_OPTIONS|NODE_ENV|INIT_CWD|npm_(package|lifecycle)_.*|npm_config_(local_prefix|ignore_scripts|omit|include))$/i;

/**
 * Returns the folder of an installation in the cache, and installs it if it does not exist yet. The
 * folder gets its name only when it is complete. If two processes want the same installation, the
 * second waits for the first.
 * @param files file names and contents that determine the installation: other contents get another
 *   folder
 * @param install installs into the folder to which the files were written
 */
export async function installInCache(
	name: string,
	files: Record<string, string>,
	install: (folder: string) => Promise<void>,
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
		await mkdir(unfinished);
		for (const [file, text] of Object.entries(files)) await writeFile(join(unfinished, file), text);
		await install(unfinished);
		await rename(unfinished, folder);
		return folder;
	} finally {
		await release();
	}
}

/**
 * Installs the locked packages of a folder below `scripts/`: with Bun, which reads npm's lock files and
 * takes an eighth of npm's time, or with npm where Bun cannot, such as with a registry that only npm
 * can use.
 * @returns the folder in the cache
 */
export async function installManifest(
	name: string,
	title: string,
	finish: (folder: string) => Promise<void> = () => Promise.resolve(),
): Promise<string> {
	const read = (file: string) => [file, readFileSync(join('scripts', name, file), 'utf8')];
	const names = ['package.json', 'package-lock.json', '.npmrc'];
	const files = Object.fromEntries(names.map(read)) as Record<string, string>;
	// Bun keeps the files of all installations once.
	const additions = { BUN_INSTALL_CACHE_DIR: join(CACHE_FOLDER, 'bun-files') };
	return await installInCache(name, files, async (cwd) => {
		await step(`${title} (once, into ${CACHE_FOLDER})`, () =>
			runNpm(installWithBun, cwd, additions).catch(() => runNpm(['install'], cwd)),
		);
		await finish(cwd);
	});
}

/** Runs npm with the user's own registry, proxy and certificates. */
export async function runNpm(
	args: string[],
	cwd: string,
	additions: Record<string, string> = {},
): Promise<string> {
	const kept = Object.entries(process.env).filter(([name]) => !NOT_FOR_NPM.test(name));
	return await run('npm', args, { cwd, env: { ...Object.fromEntries(kept), ...additions } });
}
