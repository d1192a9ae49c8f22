import { readFileSync } from 'node:fs';
import path from 'node:path';

const DOCUMENT = path.resolve(__dirname, '../../docs/errors.md');

const ERRORS = readErrors();

/**
 * Returns whether docs/errors.md lists an error's message. The listed message may end where the
 * details begin.
 */
export function isErrorDocumented(message: string): boolean {
	return ERRORS.some((beginning) => beginning.test(message));
}

function readErrors(): RegExp[] {
	const entries = readFileSync(DOCUMENT, 'utf8').matchAll(/^\| (.+?) \|/gm);
	return [...entries]
		.flatMap(([, errors = '']) => errors.split('<br>'))
		.map((error) => {
			const [beginning = ''] = error.split(/ \(\d/);
			return new RegExp(`^${beginning.split('…').map(escape).join('.+')}`);
		});
}

function escape(text: string): string {
	return text.replace(/[.*+?^${}()|[\]\\]/g, '\\$&');
}
