import { createHash } from 'node:crypto';
import { existsSync, readFileSync, writeFileSync } from 'node:fs';
import { runStep } from './runStep.mjs';

const LOCK = 'package-lock.json';
const STAMP = 'node_modules/.installed-lock';

/**
 * Installs the development dependencies when they are missing or the lock file has changed since.
 * @returns {Promise<void>} rejects with a readable message when npm fails
 */
export async function ensureInstalled() {
	const lock = createHash('sha256').update(readFileSync(LOCK)).digest('hex');
	if (existsSync(STAMP) && readFileSync(STAMP, 'utf8') === lock) return;
	// Not `npm ci`: it refuses a lock file made where the registry lacks some platforms' optional packages.
	await runStep('Installing development dependencies', 'npm', [
		'install',
		'--no-save',
		'--no-audit',
		'--no-fund',
	]);
	writeFileSync(STAMP, lock);
}
