import {
	createFileName,
	findVideoType,
	nameOtherContent,
} from '../../../nodes/VideoGeneration/download/videoFile';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';
import {
	hideQuery,
	parseVideoAddress,
} from '../../../nodes/VideoGeneration/download/downloadVideo';

const bytes = (text: string) => Buffer.from(text, 'latin1');

const MP4 = readVideoFile('city-tour').subarray(0, 512);

const TRANSPORT_STREAM = bytes(`G${'\0'.repeat(187)}G${'\0'.repeat(187)}`);

const PADDING = '\0\0\0\x10free\0\0\0\0\0\0\0\0';

const name = (path: string, mimeType = 'video/mp4', chosen?: string) =>
	createFileName(new URL(path, 'https://files.example'), mimeType, chosen);

describe('A file', () => {
	test.each([
		['an MP4 without a type', undefined, MP4, 'video/mp4'],
		['an MP4 of an unknown type', 'application/octet-stream', MP4, 'video/mp4'],
		['an MP4 under a wrong type', 'text/html', MP4, 'video/mp4'],
		['an MP4 under its own type', 'VIDEO/MP4; charset=binary', MP4, 'video/mp4'],
		['an MP4 as another video', 'video/x-m4v', MP4, 'video/x-m4v'],
		['an MP4 after padding', '', Buffer.concat([bytes(PADDING), MP4]), 'video/mp4'],
		['an MP4 after much padding', '', bytes('\0\x01\0\0free'.padEnd(600, '\0')), 'video/mp4'],
		['a segment of an MP4', '', bytes('\0\0\0\x18stypmsdh'), 'video/mp4'],
		['a bare segment of an MP4', '', bytes('\0\0\0\x18moofmfhd'), 'video/mp4'],
		['QuickTime', '', bytes('\0\0\0\x14ftypqt  \0\0'), 'video/quicktime'],
		['QuickTime with its index first', '', bytes('\0\0\0\x08moov\0\0'), 'video/quicktime'],
		['old QuickTime', '', bytes('\0\0\0\x08wide\0\0'), 'video/quicktime'],
		['WebM', '', bytes('\x1a\x45\xdf\xa3\x9fB\x86\x81\x01webm'), 'video/webm'],
		['Matroska', '', bytes('\x1a\x45\xdf\xa3\x9fB\x86\x81\x01matroska'), 'video/x-matroska'],
		['AVI', '', bytes('RIFF\x01\x02\x03\x04AVI LIST'), 'video/x-msvideo'],
		['a format that only its type tells', 'video/mp2t', TRANSPORT_STREAM, 'video/mp2t'],
	])('is a video: %s', (_what, contentType, head, mimeType) => {
		expect(findVideoType(contentType, head)).toBe(mimeType);
	});

	test.each([
		['free', 'text/plain', 'The free plan does not allow downloads of videos.'],
		['mdat', '', 'The mdat box is missing.'],
		[
			'the letters of a transport stream',
			'',
			`${'Gateway error: '.padEnd(188)}Gone${' '.repeat(400)}`,
		],
	])('is none where a text has %s at the place of a video', (_what, contentType, text) => {
		expect(findVideoType(contentType, Buffer.from(text))).toBeUndefined();
	});

	test.each([
		['text', bytes('Not Found')],
		['a playlist', bytes('#EXTM3U\n#EXT-X-VERSION:3\nseg0.ts\n')],
		['JSON', bytes('{"error":"expired"}')],
		['a JPEG image', bytes('\xff\xd8\xff\xe0\0\x10JFIF')],
		['a ZIP archive', bytes('PK\x03\x04\x14\0')],
	])('is no video, although it is declared as one: %s', (_what, head) => {
		expect(findVideoType('video/mp4', head)).toBeUndefined();
	});

	test.each([
		['nothing, whatever its type says', 'video/mp4', Buffer.alloc(0), { content: 'empty' }],
		['a web page', 'text/html; charset=utf-8', bytes('<!doctype html>'), { content: 'html' }],
		['a web page that says it is a video', 'video/mp4', bytes('\n <html>'), { content: 'html' }],
		[
			'a page with a byte order mark',
			'video/mp4',
			bytes('\xef\xbb\xbf<html>'),
			{ content: 'html' },
		],
		['a page without a type', undefined, bytes('<Error><Code>NoSuchKey'), { content: 'html' }],
		['an error that says it is a video', 'video/mp4', bytes('{"a":"gone"}'), { content: 'other' }],
		[
			'JSON',
			'application/json',
			bytes('{"error":"gone"}'),
			{ content: 'other', contentType: 'application/json' },
		],
		['an image in the same container', '', bytes('\0\0\0\x1cftypavif'), { content: 'other' }],
		['an image after padding', '', bytes(`${PADDING}\0\0\0\x1cftypheic`), { content: 'other' }],
		[
			'sound in the same container',
			'audio/mp4',
			bytes('\0\0\0\x1cftypM4A \0'),
			{ content: 'other', contentType: 'audio/mp4' },
		],
		['bytes of no type', 'x"y<script>', bytes('\x01\x02'), { content: 'other' }],
	])('is not a video: %s', (_what, contentType, head, other) => {
		expect(findVideoType(contentType, head)).toBeUndefined();
		expect(nameOtherContent(contentType, head)).toEqual(other);
	});
});

describe('The name of a file', () => {
	test.each([
		['/files/teaser.mp4', 'teaser.mp4'],
		['/files/teaser.mp4?name=other.webm&signature=a/b.mov#t=1', 'teaser.mp4'],
		['/files/My%20film%20%E2%80%93%20%C3%BCber.MP4', 'My film – über.MP4'],
		['/', 'video.mp4'],
		['/download.php', 'download.php.mp4'],
		['/8f14e45f', '8f14e45f.mp4'],
		['/v1.2', 'v1.2.mp4'],
		['/100%.mp4', '100%.mp4'],
		['/..%2F..%2Fetc%2Fpasswd', '_.._etc_passwd.mp4'],
		['/..%5C..%5Cboot.mp4', '_.._boot.mp4'],
		['/%00%0d%0aevil%7F.mp4', 'evil.mp4'],
		['/%E2%80%AE4pm.mp4', '4pm.mp4'],
		['/.htaccess', 'htaccess.mp4'],
		['/%2E%2E', 'video.mp4'],
		['/a%3Ab%2A%3F.mp4', 'a_b__.mp4'],
		['/%20.mp4', 'mp4.mp4'],
	])('at %s is %s', (path, expected) => {
		expect(name(path)).toBe(expected);
	});

	test('gets the extension of its type when the address has none of a video', () => {
		expect(name('/film', 'video/webm')).toBe('film.webm');
		expect(name('/film', 'video/unheard-of')).toBe('film.mp4');
		expect(name('/film.mov', 'video/webm')).toBe('film.mov');
	});

	test.each([
		['teaser.mp4', 'teaser.mp4'],
		['Teaser', 'Teaser.webm'],
		['Release 1.2', 'Release 1.2.webm'],
		['Teaser for shop.de', 'Teaser for shop.de.webm'],
		['Interview with Dr.Who', 'Interview with Dr.Who.webm'],
		['../../etc/passwd', '_.._etc_passwd.webm'],
		['C:\\films\\a.mp4', 'C__films_a.mp4'],
		[' . ', 'film.webm'],
	])('that the user chooses as "%s" is %s', (chosen, expected) => {
		expect(name('/film', 'video/webm', chosen)).toBe(expected);
	});

	test('is no longer than file systems allow, and keeps its extension', () => {
		expect(name(`/${'a'.repeat(5000)}.webm`)).toBe(`${'a'.repeat(75)}.webm`);
		const wide = name(`/${encodeURIComponent('🎬'.repeat(300))}.mp4`);
		expect(Buffer.byteLength(wide)).toBeLessThan(200);
		expect(wide).toMatch(/^(🎬)+\.mp4$/u);
		expect(name('/film', 'video/mp4', `2026-01-31 Row 17 ${'a'.repeat(80)}`)).toMatch(
			/^2026-01-31/,
		);
	});
});

describe('The address of a video', () => {
	test.each([
		['https://files.example/a.mp4?signature=b%2Fc', 'https://files.example/a.mp4?signature=b%2Fc'],
		['  http://127.0.0.1:8080/a.mp4\n', 'http://127.0.0.1:8080/a.mp4'],
		['HTTPS://Files.Example/a', 'https://files.example/a'],
		['http://[::1]/a', 'http://[::1]/a'],
	])('%j is %s', (text, href) => {
		expect(parseVideoAddress(text)).toMatchObject({ href });
	});

	test.each([
		'',
		undefined,
		{},
		['https://files.example/a.mp4'],
		7,
		'file:///etc/passwd',
		'javascript:alert(1)',
		'//files.example/a.mp4',
		'/files/a.mp4',
		'files.example/a.mp4',
		'http://',
		'https://ada@files.example/a.mp4',
		'https://:secret@files.example/a.mp4',
	])('is not %j', (value) => {
		expect(parseVideoAddress(value)).toBeUndefined();
	});

	test('is shown without the query, which may be as good as a key', () => {
		expect(hideQuery(new URL('https://files.example:8443/a/b.mp4?signature=c#d'))).toBe(
			'https://files.example:8443/a/b.mp4',
		);
	});
});
