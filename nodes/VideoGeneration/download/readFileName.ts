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
const VIDEO_EXTENSION = /\.(mp4|m4v|mov|webm|mkv|avi|flv|mpe?g|m?ts|ogv|3gp|wmv)$/i;
const ANY_EXTENSION = /\.(?=\w*[a-z])\w{1,5}$/i;
/** Every file system takes this many. */
const LONGEST_NAME_BYTES = 200;

/**
 * The name of a video's file: the one that was chosen, else the last part of the address, without
 * the query. An address that ends in `download.php` gets the extension of what came.
 */
export function readFileName(url: URL, mimeType: string, chosen = ''): string {
	const extension = `.${EXTENSIONS[mimeType] ?? 'mp4'}`;
	const wanted = makeSafe(chosen);
	if (wanted !== '') return ANY_EXTENSION.test(wanted) ? wanted : wanted + extension;

	const name = makeSafe(decode(url.pathname.split('/').at(-1) ?? ''));
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

/** A name that is a plain file on every system: no path, nothing hidden, nothing unprintable. */
function makeSafe(name: string): string {
	const plain = name
		.normalize('NFC')
		.replace(/[\p{Cc}\p{Cf}\p{Cs}]/gu, '')
		.replace(/[/\\:*?"<>|]/g, '_')
		.replace(/^[\s.]+|[\s.]+$/g, '')
		.replace(/^(con|prn|aux|nul|com\d|lpt\d)(?=\.|$)/i, '_$1');
	return shorten(plain);
}

/** Takes whole characters off its end, but not off the extension. */
function shorten(name: string): string {
	const extension = ANY_EXTENSION.exec(name)?.[0] ?? '';
	const characters = Array.from(name.slice(0, name.length - extension.length));
	let bytes = Buffer.byteLength(name);
	while (bytes > LONGEST_NAME_BYTES) bytes -= Buffer.byteLength(characters.pop() ?? name);
	return characters.join('') + extension;
}
