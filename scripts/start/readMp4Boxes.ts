const HEADER_BYTES = 8;

/**
 * The names of an MP4 file's boxes, in their order: a player needs `ftyp`, `moov` (what is in it) and
 * `mdat` (pictures and sound). A box begins with its length in 4 bytes, then its name in 4.
 * @throws Error when the boxes do not fill the file exactly
 */
export function readMp4Boxes(file: Buffer): string[] {
	const names: string[] = [];
	let offset = 0;
	while (offset < file.length) {
		const length = file.length - offset >= HEADER_BYTES ? file.readUInt32BE(offset) : 0;
		if (length < HEADER_BYTES || offset + length > file.length) {
			throw new Error(`The file is no MP4, or is cut off after ${offset} bytes.`);
		}
		names.push(file.toString('latin1', offset + 4, offset + HEADER_BYTES));
		offset += length;
	}
	return names;
}
