import { readFileSync } from 'node:fs';
import { join } from 'node:path';

const files = new Map<string, Buffer>();

/**
 * One of the MP4s beside this file.
 *
 * @param picture its name without extension
 * @throws Error when there is none of that name
 */
export function readVideoFile(picture: string): Buffer {
	const known = files.get(picture);
	if (known) return known;
	const file = readFileSync(join(__dirname, `${picture}.mp4`));
	files.set(picture, file);
	return file;
}
