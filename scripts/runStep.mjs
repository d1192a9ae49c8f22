import { spawn } from 'node:child_process';

const TAIL_LINES = 40;
const TICK_MS = 30_000;
const SIGNALS = ['SIGINT', 'SIGTERM', 'SIGHUP'];

/**
 * Runs a command as one named step: says what is being done and how long it took, and shows the
 * command's own output only when it fails. A signal that ends this process ends the command, too.
 * @param {string} title what is being done, e.g. "Building the package"
 * @param {string} command
 * @param {string[]} args
 * @param {import('node:child_process').SpawnOptions} [options]
 * @returns {Promise<string>} the command's standard output; rejects with the last lines of its output
 */
export function runStep(title, command, args, options = {}) {
	process.stdout.write(`• ${title} …\n`);
	const startedAt = Date.now();
	const elapsed = () => `${((Date.now() - startedAt) / 1000).toFixed(1)} s`;
	return new Promise((resolve, reject) => {
		const child = spawn(command, args, {
			stdio: ['ignore', 'pipe', 'pipe'],
			shell: process.platform === 'win32',
			...options,
		});
		const ticker = setInterval(
			() => process.stdout.write(`  still at it, ${elapsed()}\n`),
			TICK_MS,
		);
		const passOn = (signal) => child.kill(signal);
		for (const signal of SIGNALS) process.on(signal, passOn);
		const settle = () => {
			clearInterval(ticker);
			for (const signal of SIGNALS) process.off(signal, passOn);
		};

		let stdout = '';
		let all = '';
		child.stdout.on('data', (chunk) => {
			stdout += chunk;
			all += chunk;
		});
		child.stderr.on('data', (chunk) => (all += chunk));
		child.on('error', (error) => {
			settle();
			reject(new Error(`${title} failed: "${command}" could not be started (${error.message}).`));
		});
		child.on('close', (code, signal) => {
			settle();
			if (code === 0) {
				process.stdout.write(`  done in ${elapsed()}\n`);
				resolve(stdout);
				return;
			}
			const tail = all.trimEnd().split('\n').slice(-TAIL_LINES).join('\n');
			const how = signal ?? `exit code ${code}`;
			reject(new Error(`${title} failed (${how}) after ${elapsed()}:\n${tail}`));
		});
	});
}
