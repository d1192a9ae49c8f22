/** File extensions by MIME type. */
const EXTENSIONS: Record<string, string> = {
	'video/mp4': 'mp4',
	'video/quicktime': 'mov',
	'video/webm': 'webm',
	'video/x-matroska': 'mkv',
	'video/x-msvideo': 'avi',
	'video/x-flv': 'flv',
	'video/mpeg': 'mpg',
	'video/mp2t': 'ts',
	'video/ogg': 'ogv',
	'video/3gpp': '3gp',
	'video/x-m4v': 'm4v',
	'video/x-ms-wmv': 'wmv',
};

/** Number of bytes that are needed to recognise a file. */
export const HEAD_BYTES = 512;

/** First bytes of video files, one character for each byte. MP4 and QuickTime are recognised apart. */
const SIGNATURES: [RegExp, string][] = [
	[/^\x1a\x45\xdf\xa3.*webm/s, 'video/webm'],
	[/^\x1a\x45\xdf\xa3/, 'video/x-matroska'],
	[/^RIFF.{4}AVI /s, 'video/x-msvideo'],
	[/^FLV\x01/, 'video/x-flv'],
	[/^\x00\x00\x01[\xb3\xba]/, 'video/mpeg'],
	[/^G.{187}G(.{187}G|.{0,187}$)/s, 'video/mp2t'],
	[/^\x30\x26\xb2\x75\x8e\x66\xcf\x11/, 'video/x-ms-wmv'],
];

/** The brand of an MP4 or QuickTime file, whose first box may be padding. */
const BRAND = /^.{4}(?:(?:free|skip).*?)?ftyp(.{4})/s;
/** The same container holds sound and pictures. */
const OTHER_BRAND = /^(M4[ABP] |hei|hev|mif|msf|avi)/;
/**
 * The first box of a file without a brand: a segment of an MP4, or QuickTime. Before its name stands its
 * length, which keeps it apart from a text with such a word: only the video data may be longer than 16 MB.
 */
const SEGMENT = /^\0.{3}(styp|free|skip|moof|sidx)/s;
const QUICKTIME = /^(?:\0.{3}(moov|wide|pnot)|(?![\s\x20-\x7e]{4}).{4}mdat)/s;

/** The beginning of web pages and JSON, with or without a byte order mark. */
const TEXT = /^(\xef\xbb\xbf)?\s*[<{[]/;
const MARKUP = /^(\xef\xbb\xbf)?\s*</;

/**
 * Recognises a video by its first bytes, or else by its content type. Storage services often send
 * `application/octet-stream`, and an error page may come with any type.
 *
 * @returns the MIME type, or undefined when it is not a video
 */
export function findVideoType(contentType: unknown, head: Buffer): string | undefined {
	const declared = parseMimeType(contentType);
	const isDeclared = declared.startsWith('video/');
	const bytes = head.toString('latin1', 0, HEAD_BYTES);
	const recognized =
		findContainer(bytes) ?? SIGNATURES.find(([pattern]) => pattern.test(bytes))?.[1];
	if (recognized !== undefined) return isDeclared ? declared : recognized;
	return isDeclared && bytes !== '' && !TEXT.test(bytes) ? declared : undefined;
}

function findContainer(bytes: string): string | undefined {
	const brand = BRAND.exec(bytes)?.[1];
	if (brand !== undefined) {
		if (OTHER_BRAND.test(brand)) return undefined;
		return brand === 'qt  ' ? 'video/quicktime' : 'video/mp4';
	}
	if (QUICKTIME.test(bytes)) return 'video/quicktime';
	return SEGMENT.test(bytes) ? 'video/mp4' : undefined;
}

/** What came instead of a video, for the error. */
export function nameOtherContent(
	contentType: unknown,
	head: Buffer,
): { content: 'empty' | 'html' | 'other'; contentType?: string } {
	const declared = parseMimeType(contentType);
	const bytes = head.toString('latin1', 0, HEAD_BYTES);
	if (bytes === '') return { content: 'empty' };
	if (declared === 'text/html' || MARKUP.test(bytes)) return { content: 'html' };
	const isUseful = declared !== '' && !declared.startsWith('video/');
	return { content: 'other', ...(isUseful && { contentType: declared }) };
}

function parseMimeType(contentType: unknown): string {
	const [type = ''] = typeof contentType === 'string' ? contentType.split(';') : [];
	return /^[\w.+-]+\/[\w.+-]+$/.test(type.trim()) ? type.trim().toLowerCase() : '';
}

const VIDEO_EXTENSION = /\.(mp4|m4v|mov|webm|mkv|avi|flv|mpe?g|m?ts|ogv|3gp|wmv)$/i;
const ANY_EXTENSION = /\.(?=\w{0,4}[a-z])\w{1,5}$/i;
/** File systems allow 255, and later nodes may add to the name. */
const MAX_NAME_BYTES = 200;
/** Of a longer name, only the beginning and the extension are kept. */
const MAX_NAME_LENGTH = 1000;

/**
 * The file's name: the chosen one, or else the last part of the address without its query. An
 * address such as `download.php` gets the extension of the video's type.
 */
export function createFileName(url: URL, mimeType: string, chosen = ''): string {
	const extension = `.${EXTENSIONS[mimeType] ?? 'mp4'}`;
	const ownName = cleanName(chosen);
	if (ownName !== '') return ANY_EXTENSION.test(ownName) ? ownName : ownName + extension;

	const name = cleanName(decode(url.pathname.split('/').at(-1) ?? ''));
	if (name === '') return `video${extension}`;
	return VIDEO_EXTENSION.test(name) ? name : name + extension;
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
	const short =
		name.length > MAX_NAME_LENGTH ? name.slice(0, MAX_NAME_LENGTH) + name.slice(-6) : name;
	const visible = short
		.replace(/[\p{Cc}\p{Cf}]/gu, '')
		.replace(/[/\\:*?"<>|]/g, '_')
		.replace(/^[\s.]+/, '');
	let end = visible.length;
	while (/[\s.]/.test(visible.charAt(end - 1))) end -= 1;
	const clean = visible.slice(0, end);
	const extension = ANY_EXTENSION.exec(clean)?.[0] ?? '';
	const characters = Array.from(clean.slice(0, clean.length - extension.length)).slice(
		0,
		MAX_NAME_BYTES,
	);
	while (Buffer.byteLength(characters.join('')) + extension.length > MAX_NAME_BYTES) {
		characters.pop();
	}
	return characters.join('') + extension;
}
