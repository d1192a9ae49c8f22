import { spawn } from 'node:child_process';

const TAIL_LINES = 40;

/**
 * Runs a command as one named step: says what is being done and how long it took, and shows the
 * command's own output only when it fails.
 * @param {string} title what is being done, e.g. "Building the package"
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<string>} the command's standard output; rejects with the last lines of its output
 */
export function runStep(title, command, args, options = {}) {
	process.stdout.write(`• ${title} …\n`);
	const startedAt = Date.now();
	return new Promise((resolve, reject) => {
		const child = spawn(command, args, {
			stdio: ['ignore', 'pipe', 'pipe'],
			shell: process.platform === 'win32',
			...options,
		});
		let stdout = '';
		let all = '';
		child.stdout.on('data', (chunk) => {
			stdout += chunk;
			all += chunk;
		});
		child.stderr.on('data', (chunk) => (all += chunk));
		child.on('error', reject);
		child.on('close', (code, signal) => {
			const seconds = ((Date.now() - startedAt) / 1000).toFixed(1);
			if (code === 0) {
				process.stdout.write(`  done in ${seconds} s\n`);
				resolve(stdout);
				return;
			}
			const tail = all.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
			reject(
				new Error(
					`${title} failed (${signal ?? `exit code ${code}`}) after ${seconds} s:\n${tail}`,
				),
			);
		});
	});
}
