import { mkdirSync, writeFileSync } from 'node:fs';
import { join, resolve } from 'node:path';

const FOLDER = resolve('.n8n-local', 'bench');

/** Saves the figures of a benchmark as JSON. */
export function keepFigures(name: string, figures: object): void {
	mkdirSync(FOLDER, { recursive: true });
	writeFileSync(join(FOLDER, `${name}.json`), JSON.stringify(figures, null, 2));
}
