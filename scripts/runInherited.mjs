import { spawn } from 'node:child_process';

/**
 * Runs a command whose own output is what the user wants to see.
 * @param {string} command
 * @param {string[]} args
 * @returns {Promise<number>} the exit code; 1 when a signal ended it
 */
export function runInherited(command, args) {
	return new Promise((resolve, reject) => {
		const child = spawn(command, args, { stdio: 'inherit', shell: process.platform === 'win32' });
		child.on('error', reject);
		child.on('close', (code) => resolve(code ?? 1));
	});
}
