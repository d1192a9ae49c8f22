import { resolve } from 'node:path';
import { chromium, type Browser } from 'playwright-core';
import { buildLocalEnvironment } from '../n8n/environment';
import { findProgram, PROGRAMS } from '../requirements';

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

/** Starts the system's Chrome or Chromium without a window, and with nothing of the user's own browser. */
export async function launchBrowser(): Promise<Browser> {
	const { names, install } = PROGRAMS.browser;
	const executablePath = findProgram(...names);
	if (!executablePath) throw new Error(`There is no browser. Install ${install}.`);
	const env = buildLocalEnvironment({ HOME: resolve('.n8n-local') });
	return await chromium.launch({ executablePath, args: FLAGS, env });
}
