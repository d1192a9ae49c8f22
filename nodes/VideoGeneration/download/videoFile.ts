/** Number of bytes that are needed to recognise a file. */
export const HEAD_BYTES = 512;

/** Files that are known by their first bytes, one character for each byte, with their MIME type. */
const SIGNATURES: [RegExp, string | undefined][] = [
	// Images and archives, whatever they are declared as.
	[/^(?:\xff\xd8\xff|\x89PNG|GIF8|RIFF.{4}WEBP|BM.{4}\0{4}|II\*\0|MM\0\*|%PDF)/s, undefined],
	[/^(?:PK\x03\x04|\x1f\x8b|7z\xbc\xaf|Rar!|BZh|\xfd7zXZ|.{257}ustar)/s, undefined],
	// The same container holds sound and pictures.
	[/^(?:.{4}(?:free|skip).*?)?.{4}ftyp(?:M4[ABP] |hei|hev|mif|msf|avi)/s, undefined],
	[/^(?:.{4}(?:free|skip).*?)?.{4}ftypqt {2}/s, 'video/quicktime'],
	[/^(?:.{4}(?:free|skip).*?)?.{4}ftyp/s, 'video/mp4'],
	// Before the name of a box stands its length, which keeps it apart from a text with such a word.
	[/^\0.{3}(?:moov|wide|pnot|mdat)/s, 'video/quicktime'],
	[/^\0.{3}(?:styp|free|skip|moof|sidx)/s, 'video/mp4'],
	[/^\x1a\x45\xdf\xa3.*webm/s, 'video/webm'],
	[/^\x1a\x45\xdf\xa3/, 'video/x-matroska'],
	[/^RIFF.{4}AVI /s, 'video/x-msvideo'],
];

/** Text has no control characters; a video has some in its first bytes. */
const TEXT = /^[^\0-\x08\x0e-\x1f]*$/;

/** A content type of a video, in which parameters may follow. */
const VIDEO_TYPE = /^\s*(video\/[\w.+-]+)\s*(?:;|$)/i;

/**
 * The MIME type of a video by its first bytes, or else by its content type; undefined for what is no video. Storage services
 * often send `application/octet-stream`, and an error page may come with any type.
 */
export function findVideoType(contentType: unknown, head: Buffer): string | undefined {
	const [, type] = VIDEO_TYPE.exec(String(contentType)) ?? [];
	const declared = type?.toLowerCase();
	const bytes = head.toString('latin1', 0, HEAD_BYTES);
	const known = SIGNATURES.find(([pattern]) => pattern.test(bytes));
	if (known) return known[1] && (declared ?? known[1]);
	return TEXT.test(bytes) ? undefined : declared;
}

/** File extensions by MIME type; mp4 for all others. */
const EXTENSIONS: Record<string, string> = {
	'video/quicktime': 'mov',
	'video/webm': 'webm',
	'video/x-matroska': 'mkv',
	'video/x-msvideo': 'avi',
};

const VIDEO_EXTENSION = /\.(mp4|m4v|mov|webm|mkv|avi|flv|mpe?g|m?ts|ogv|3gp|wmv)$/i;

/** File systems allow 255 bytes, and a character takes up to 3. */
const MAX_NAME_LENGTH = 80;

/**
 * The file's name: the chosen one, or else the last part of the address, with a number if another file has it. The
 * extension may be missing. `taken` counts the files that have a name, by the name without its extension.
 */
export function takeName({ pathname }: URL, chosen: string, taken: Map<string, number>): string {
	const name = cleanName(chosen) || cleanName(decode(pathname.split('/').at(-1) ?? '')) || 'video';
	const [extension = ''] = VIDEO_EXTENSION.exec(name) ?? [];
	return addNumber(name.slice(0, name.length - extension.length), taken) + extension;
}

/** Names count as the same in upper and lower case, as on many disks. */
function addNumber(stem: string, taken: Map<string, number>): string {
	const key = stem.toLowerCase();
	const count = (taken.get(key) ?? 0) + 1;
	taken.set(key, count);
	return count === 1 ? stem : addNumber(`${stem}-${count}`, taken);
}

/** An address such as `download.php` gets the extension of the video's type. */
export function addExtension(name: string, mimeType: string): string {
	return VIDEO_EXTENSION.test(name) ? name : `${name}.${EXTENSIONS[mimeType] ?? 'mp4'}`;
}

function decode(segment: string): string {
	try {
		return decodeURIComponent(segment);
	} catch {
		return segment;
	}
}

/** Later nodes may use the name in a path, so it has no folder, no leading dot and nothing invisible. */
function cleanName(name: string): string {
	const [extension = ''] = VIDEO_EXTENSION.exec(name) ?? [];
	const stem = name.slice(0, Math.min(name.length, MAX_NAME_LENGTH) - extension.length);
	// As of a row without a title.
	if (stem.trim() === '') return '';
	return (stem + extension)
		.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
		.replace(/[/\\:*?"<>|]/g, '_')
		.replace(/^[\s.]{1,80}|[\s.]{1,80}$/g, '');
}
