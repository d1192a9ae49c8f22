import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { findProgram } from '../debian/findProgram';
import { buildLocalEnvironment } from '../n8n/buildLocalEnvironment';
import { ReadableError } from '../ReadableError';

const FLAGS = [
	// Debian's sandbox for Chromium needs rights that root in a container lacks; only n8n is visited.
	'--no-sandbox',
	'--disable-gpu',
	'--disable-dev-shm-usage',
	'--disable-quic',
	'--no-first-run',
	'--disable-background-networking',
	'--disable-component-update',
	'--disable-sync',
	// A video is to play without a click on it.
	'--autoplay-policy=no-user-gesture-required',
];

/**
 * Starts the system's Chromium without a window.
 * @param folder all that it writes is below it: its home, and the profile, which is gone at its end
 */
export async function launchBrowser(folder: string): Promise<Browser> {
	const executablePath = findProgram('chromium');
	if (!executablePath) throw new ReadableError('Chromium is not installed.');
	const place = (name: string): string => {
		const path = join(folder, name);
		mkdirSync(path, { recursive: true });
		return path;
	};
	const env = buildLocalEnvironment({
		HOME: place('home'),
		TMPDIR: place('tmp'),
		XDG_CACHE_HOME: place('cache'),
		XDG_CONFIG_HOME: place('config'),
		XDG_DATA_HOME: place('data'),
		XDG_RUNTIME_DIR: place('run'),
	});
	return await chromium.launch({
		executablePath,
		args: FLAGS,
		env: Object.fromEntries(Object.entries(env).filter((entry) => entry[1] !== undefined)),
		artifactsDir: place('artifacts'),
	});
}
