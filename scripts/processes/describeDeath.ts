import { readFileSync } from 'node:fs';
import { relative } from 'node:path';
import { ReadableError } from '../ReadableError';
import { readLastLines } from './readLastLines';

const SHOWN_LINES = 20;

/** What the user reads when a part ends that was to run on. */
export function describeDeath(name: string, logFile: string, end: string): ReadableError {
	const lines = readLastLines(readFileSync(logFile, 'utf8'), SHOWN_LINES);
	const shown = lines === '' ? 'It wrote no output.' : `Its last lines were:\n${lines}`;
	const path = relative(process.cwd(), logFile);
	return new ReadableError(
		`${name} has ended by itself (${end}), so everything is ended.\n${shown}\nAll of its output is in ${path}.`,
	);
}
