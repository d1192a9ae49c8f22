import { writeFile } from 'node:fs/promises';
import { basename } from 'node:path';
import { ReadableError } from '../ReadableError';

/** A reader of the README waits for it. */
const MAX_BYTES = 250_000;

/** Writes a picture, unless it is too large for a page. */
export async function savePicture(picture: Buffer, path: string): Promise<void> {
	if (picture.length > MAX_BYTES) {
		throw new ReadableError(
			`${basename(path)} has ${picture.length} bytes, more than ${MAX_BYTES}: make its window or its scale smaller.`,
		);
	}
	await writeFile(path, picture);
}
