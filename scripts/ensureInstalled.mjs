import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { runStep } from './runStep.mjs';

const LOCK = 'package-lock.json';
const STAMP = 'node_modules/.installed-lock';

/**
 * `npm install`, for `npm ci` refuses a lock file that lacks the optional packages of other platforms;
 * it installs the same versions, and with `--no-save` leaves the lock file alone.
 * `--include=dev`, for a user's NODE_ENV=production would leave out all there is to install.
 */
const FLAGS = ['--no-save', '--include=dev', '--no-audit', '--no-fund'];

/**
 * Installs the development dependencies when they are missing or the lock file has changed since.
 * @returns {Promise<void>} rejects with a readable message when npm fails
 */
export async function ensureInstalled() {
	const lock = createHash('sha256').update(readFileSync(LOCK)).digest('hex');
	if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lock) return;
	await runStep('Installing development dependencies', 'npm', ['install', ...FLAGS]);
	writeFileSync(STAMP, lock);
}
