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
	// Said outright, for a user's NODE_ENV=production would leave them out.
	const args = ['ci', '--include=dev', '--no-audit', '--no-fund'];
	await runStep('Installing development dependencies', 'npm', args);
	writeFileSync(STAMP, lock);
}
