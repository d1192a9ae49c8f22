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

type Finish = (folder: string) => Promise<void>;

/** Installs the locked packages of a folder below `scripts/`. @returns the folder in the cache */
export async function installManifest(
	name: string,
	title: string,
	finish?: Finish,
): Promise<string> {
	const read = (file: string) => readFileSync(join('scripts', name, file), 'utf8');
	const files = { 'package.json': read('package.json'), 'bun.lock': read('bun.lock') };
	return await installInCache(name, title, files, finish);
}

type Files = Record<string, string>;

/**
 * Returns the folder of an installation in the cache, and installs it if it does not exist yet, with Bun,
 * which takes a tenth of npm's time. The folder gets its name only when it is complete. If two processes
 * want the same installation, the second waits for the first.
 * @param files what is installed: other contents get another folder
 */
export async function installInCache(
	name: string,
	title: string,
	files: Files,
	finish?: Finish,
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
		await step(`${title} (once, into ${CACHE_FOLDER})`, () =>
			runNpm(installWithBun.split(' '), unfinished),
		);
		await finish?.(unfinished);
		await rename(unfinished, folder);
		return folder;
	} finally {
		await release();
	}
}

/** Runs npm with the user's own registry, proxy and certificates. */
export async function runNpm(args: string[], cwd: string, additions: Files = {}): Promise<string> {
	const kept = Object.entries(process.env).filter(([name]) => !NOT_FOR_NPM.test(name));
	return await run('npm', args, { cwd, env: { ...Object.fromEntries(kept), ...additions } });
}
