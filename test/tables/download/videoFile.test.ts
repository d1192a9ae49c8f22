import {
	addExtension,
	findVideoType,
	takeName,
} from '../../../nodes/VideoGeneration/download/videoFile';
import { nameContent, parseBody } from '../../../nodes/VideoGeneration/api/response';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const MP4 = readVideoFile('city-tour').subarray(0, 512);
const TRANSPORT_STREAM = bytes(`G${'\0'.repeat(187)}G${'\0'.repeat(187)}`);
const PADDING = '\0\0\0\x10free\0\0\0\0\0\0\0\0';

const name = (
	path: string,
	mimeType = 'video/mp4',
	chosen = '',
	taken = new Map<string, number>(),
) => addExtension(takeName(new URL(path, 'https://files.example'), chosen, taken), mimeType);

describe('A file', () => {
	test.each([
		['an MP4 without a type', undefined, MP4, 'video/mp4'],
		['an MP4 under its own type', 'VIDEO/MP4; charset=binary', MP4, 'video/mp4'],
		['an MP4 as another video', 'video/x-m4v', MP4, 'video/x-m4v'],
		['an MP4 after padding', '', Buffer.concat([bytes(PADDING), MP4]), 'video/mp4'],
		['an MP4 after much padding', '', bytes('\0\x01\0\0free'.padEnd(600, '\0')), 'video/mp4'],
		['a segment of an MP4', '', bytes('\0\0\0\x18stypmsdh'), 'video/mp4'],
		['a bare segment of an MP4', '', bytes('\0\0\0\x18moofmfhd'), 'video/mp4'],
		['QuickTime', '', bytes('\0\0\0\x14ftypqt  \0\0'), 'video/quicktime'],
		['QuickTime with its index first', '', bytes('\0\0\0\x08moov\0\0'), 'video/quicktime'],
		['WebM', '', bytes('\x1a\x45\xdf\xa3\x9fB\x86\x81\x01webm'), 'video/webm'],
		['Matroska', '', bytes('\x1a\x45\xdf\xa3\x9fB\x86\x81\x01matroska'), 'video/x-matroska'],
		['AVI', '', bytes('RIFF\x01\x02\x03\x04AVI LIST'), 'video/x-msvideo'],
		['a format that only its type tells', 'video/mp2t', TRANSPORT_STREAM, 'video/mp2t'],
	])('is a video: %s', (_what, contentType, head, mimeType) => {
		expect(findVideoType(contentType, head)).toBe(mimeType);
	});

	test.each<[string, string | undefined, string]>([
		['nothing, whatever its type says', 'video/mp4', ''],
		['a page by its type', 'text/html', 'Not found'],
		['a web page that says it is a video', 'video/mp4', '\n <html>'],
		['a page with a byte order mark', 'video/mp4', '\xef\xbb\xbf<html>'],
		['a JPEG image as a video', 'video/mp4', '\xff\xd8\xff\xe0\0\x10JFIF'],
		['a ZIP archive as a video', 'video/mp4', 'PK\x03\x04\x14\0'],
		['an image in the same container', '', '\0\0\0\x1cftypavif'],
		['an image after padding', '', `${PADDING}\0\0\0\x1cftypheic`],
		['sound in the same container', 'audio/mp4', '\0\0\0\x1cftypM4A \0'],
		['bytes of no type', 'x"y<script>', '\x01\x02'],
		['a text with the name of a box', 'text/plain', 'The free plan has no videos.'],
		['a text with the name of another', '', 'The mdat box is missing.'],
	])('is no video: %s', (_what, contentType, head) => {
		expect(findVideoType(contentType, bytes(head))).toBeUndefined();
	});

	test.each([
		['', 'empty'],
		['\xef\xbb\xbf\n <html>', 'html'],
		['<Error><Code>NoSuchKey', 'html'],
		['{"error":"expired"}', undefined],
		['\xff\xd8\xff\xe0\0\x10JFIF', 'other'],
	])('that begins with %j and is no video has the content %p', (head, content) => {
		expect(nameContent(parseBody(bytes(head).toString()))).toBe(content);
	});
});

describe('The name of a file', () => {
	test.each([
		['/files/teaser.mp4?name=other.webm&signature=a/b.mov#t=1', 'teaser.mp4'],
		['/files/My%20film%20%E2%80%93%20%C3%BCber.MP4', 'My film – über.MP4'],
		['/', 'video.webm'],
		['/download.php', 'download.php.webm'],
		['/100%.mp4', '100%.mp4'],
		['/..%2F..%2Fetc%2Fpasswd', '_.._etc_passwd.webm'],
		['/%00%0d%0aevil%7F.mp4', 'evil.mp4'],
		['/%E2%80%AE4pm.mp4', '4pm.mp4'],
		['/.htaccess', 'htaccess.webm'],
		['/%2E%2E', 'video.webm'],
		['/%20.mp4', 'video.webm'],
	])('at %s is %s', (path, expected) => {
		expect(name(path, 'video/webm')).toBe(expected);
	});

	test.each([
		['teaser.mp4', 'teaser.mp4'],
		['Release 1.2', 'Release 1.2.mov'],
		['Interview with Dr.Who', 'Interview with Dr.Who.mov'],
		['../../etc/passwd', '_.._etc_passwd.mov'],
		['C:\\films\\a*?"<>|.mp4', 'C__films_a______.mp4'],
		[' . ', 'film.mov'],
		['.mp4', 'film.mov'],
	])('that the user chooses as "%s" is %s', (chosen, expected) => {
		expect(name('/film', 'video/quicktime', chosen)).toBe(expected);
	});

	test.each([
		['video/x-matroska', 'film.mkv'],
		['video/x-msvideo', 'film.avi'],
		['video/unheard-of', 'film.mp4'],
	])('gets the extension of its type, %s', (mimeType, expected) => {
		expect(name('/film', mimeType)).toBe(expected);
	});

	test('is no longer than file systems allow, and keeps its extension', () => {
		expect(name(`/${'a'.repeat(5000)}.webm`)).toBe(`${'a'.repeat(75)}.webm`);
		const wide = name(`/${encodeURIComponent('🎬'.repeat(300))}.mp4`);
		expect(Buffer.byteLength(wide)).toBeLessThan(200);
		expect(wide).toMatch(/^(🎬)+\.mp4$/u);
		expect(name('/film', 'video/mp4', `2026 Row 17 ${'a'.repeat(80)}`)).toMatch(/^2026 Row 17/);
	});

	test('that another file of the run has gets a number, as many as it takes', () => {
		const taken = new Map<string, number>();
		const take = (chosen: string) => name('/output.mp4', 'video/mp4', chosen, taken);
		expect(['', '', '', 'Output', 'output-2.mp4', 'teaser', 'teaser.mp4'].map(take)).toEqual([
			...['output.mp4', 'output-2.mp4', 'output-3.mp4', 'Output-4.mp4', 'output-2-2.mp4'],
			...['teaser.mp4', 'teaser-2.mp4'],
		]);
	});
});
