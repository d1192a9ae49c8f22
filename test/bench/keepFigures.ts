import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = resolve('.n8n-local', 'bench');

/** Saves the figures of a benchmark for the report (`npm run bench -- report`). */
export function keepFigures(name: string, figures: object): void {
	mkdirSync(FOLDER, { recursive: true });
	writeFileSync(join(FOLDER, `${name}.json`), JSON.stringify(figures, null, 2));
}

/**
 * @param command command that measures the figures
 * @throws Error if the command has not been run here
 */
export function readFigures(name: string, command = `npm run bench -- ${name}`): unknown {
	try {
		return JSON.parse(readFileSync(join(FOLDER, `${name}.json`), 'utf8'));
	} catch {
		throw new Error(`There are no figures of "${name}" yet: run "${command}" first.`);
	}
}
