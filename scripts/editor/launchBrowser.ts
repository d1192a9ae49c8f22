import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { buildLocalEnvironment } from '../n8n/environment';
import { findProgram } from '../requirements';

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
	// No request leaves this machine: n8n's editor looks community packages up in the registry.
	'--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1',
	// Videos play without a click.
	'--autoplay-policy=no-user-gesture-required',
];

/**
 * Starts the system's Chromium without a window. It writes only into a temporary folder, which is
 * deleted at its end. The folder is not in the project, because the path of a socket in it may have
 * only 107 bytes.
 */
export async function launchBrowser(): Promise<Browser> {
	const executablePath = findProgram('chromium');
	if (!executablePath) throw new Error('Chromium is not installed.');
	const folder = mkdtempSync(join(tmpdir(), 'browser-'));
	const browser = await chromium.launch({
		executablePath,
		args: FLAGS,
		env: buildLocalEnvironment({ HOME: folder, TMPDIR: folder }),
		artifactsDir: folder,
	});
	browser.on('disconnected', () => {
		rmSync(folder, { recursive: true, force: true, maxRetries: 3 });
	});
	return browser;
}
