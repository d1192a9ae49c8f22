import { createHash, randomBytes } from 'node:crypto';
import { existsSync } from 'node:fs';
import { mkdir, readdir, rename, rm, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { isRunning } from '../processes/isRunning';

export interface Installation {
	/** The first part of the folder's name, e.g. "n8n". */
	name: string;
	/** The files that decide what gets installed: file name to content. Other content, other folder. */
	files: Record<string, string>;
	/** Installs what the files say into the folder they were written to. */
	install: (folder: string) => Promise<void>;
}

/**
 * The folder of an installation, made now if it is not there yet. It appears under its name only when
 * it is finished, so an interrupted installation is never taken for one; of two at the same time, the
 * first to finish wins and the other uses it.
 */
export async function installInCache(
	cacheFolder: string,
	{ name, files, install }: Installation,
): Promise<string> {
	const finished = join(cacheFolder, `${name}-${hash(files)}`);
	if (existsSync(finished)) return finished;
	await mkdir(cacheFolder, { recursive: true });
	await removeAbandoned(cacheFolder, name);

	const temporary = `${finished}.installing-${process.pid}-${randomBytes(4).toString('hex')}`;
	try {
		await mkdir(temporary);
		for (const [file, content] of Object.entries(files)) {
			await writeFile(join(temporary, file), content);
		}
		await install(temporary);
		await rename(temporary, finished).catch((error: unknown) => {
			if (!existsSync(finished)) throw error;
		});
	} finally {
		await rm(temporary, { recursive: true, force: true, maxRetries: 3 });
	}
	return finished;
}

/** What was compiled for one system does not run on another, should they share a home folder. */
function hash(files: Record<string, string>): string {
	const content = JSON.stringify([process.platform, process.arch, Object.entries(files).sort()]);
	return createHash('sha256').update(content).digest('hex').slice(0, 12);
}

/** Removes what a killed start left behind: these folders are too large to be forgotten. */
async function removeAbandoned(cacheFolder: string, name: string): Promise<void> {
	for (const entry of await readdir(cacheFolder)) {
		const installer = /\.installing-(\d+)-/.exec(entry)?.[1];
		if (!installer || !entry.startsWith(`${name}-`) || isRunning(Number(installer))) continue;
		await rm(join(cacheFolder, entry), { recursive: true, force: true, maxRetries: 3 });
	}
}
