import { writeFile } from 'node:fs/promises';

/** Writes a picture. */
export async function savePicture(picture: Buffer, path: string): Promise<void> {
	await writeFile(path, picture);
}
