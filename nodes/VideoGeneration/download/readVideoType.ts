/** How files begin, one character for each byte, and the MIME type of what they are. */
const BEGINNINGS: [RegExp, string][] = [
	[/^.{4}ftypqt {2}/s, 'video/quicktime'],
	// The same container also holds pictures and sound, which its brand tells.
	[/^.{4}ftyp(?!M4[ABP] |hei|hev|mif|msf|avi)/s, 'video/mp4'],
	[/^.{4}(moov|mdat|wide)/s, 'video/quicktime'],
	[/^\x1a\x45\xdf\xa3.*webm/s, 'video/webm'],
	[/^\x1a\x45\xdf\xa3/s, 'video/x-matroska'],
	[/^RIFF.{4}AVI /s, 'video/x-msvideo'],
	[/^FLV\x01/s, 'video/x-flv'],
	[/^\x00\x00\x01[\xb3\xba]/s, 'video/mpeg'],
	[/^G.{187}G/s, 'video/mp2t'],
	[/^\x30\x26\xb2\x75\x8e\x66\xcf\x11/s, 'video/x-ms-wmv'],
];

/** As pages and JSON begin, with or without a byte order mark. */
const TEXT = /^(\xef\xbb\xbf)?\s*[<{[]/;
const MARKUP = /^(\xef\xbb\xbf)?\s*</;

/** So many bytes are enough to tell. */
export const HEAD_BYTES = 512;

/**
 * What kind of video a file is, by its first bytes or else by its content type: storage services
 * know no better than `application/octet-stream`, and an error page may come under any type.
 *
 * @returns the MIME type, or undefined when it is no video
 */
export function readVideoType(contentType: unknown, head: Buffer): string | undefined {
	if (head.length === 0) return undefined;
	const declared = readMimeType(contentType);
	const isDeclared = declared.startsWith('video/');
	const beginning = head.toString('latin1');
	const recognized = BEGINNINGS.find(([pattern]) => pattern.test(beginning))?.[1];
	if (recognized !== undefined) return isDeclared ? declared : recognized;
	return isDeclared && !TEXT.test(beginning) ? declared : undefined;
}

/** What came instead of a video, for the error. */
export function nameOtherType(contentType: unknown, head: Buffer): string {
	const declared = readMimeType(contentType);
	const beginning = head.toString('latin1');
	if (declared === 'text/html' || MARKUP.test(beginning)) return 'html';
	return declared.startsWith('video/') ? 'text' : declared;
}

function readMimeType(contentType: unknown): string {
	const [type = ''] = typeof contentType === 'string' ? contentType.split(';') : [];
	return /^[\w.+-]+\/[\w.+-]+$/.test(type.trim()) ? type.trim().toLowerCase() : '';
}
