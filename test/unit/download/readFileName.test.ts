import { readFileName } from '../../../nodes/VideoGeneration/download/readFileName';

const name = (path: string, mimeType = 'video/mp4', chosen?: string) =>
	readFileName(new URL(path, 'https://files.example'), mimeType, chosen);

describe('The name of a file', () => {
	test.each([
		['/files/teaser.mp4', 'teaser.mp4'],
		['/files/teaser.mp4?name=other.webm&signature=a/b.mov#t=1', 'teaser.mp4'],
		['/files/My%20film%20%E2%80%93%20%C3%BCber.MP4', 'My film – über.MP4'],
		['/films/%E6%98%A0%E7%94%BB.mp4', '映画.mp4'],
		['/', 'video.mp4'],
		['/films/', 'video.mp4'],
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
		['/CON.mp4', '_CON.mp4'],
		['/%20.mp4', 'mp4.mp4'],
	])('at %s is %s', (path, expected) => {
		expect(name(path)).toBe(expected);
	});

	test('gets the extension of what came, where the address has none of a video', () => {
		expect(name('/film', 'video/webm')).toBe('film.webm');
		expect(name('/film', 'video/unheard-of')).toBe('film.mp4');
		expect(name('/film.mov', 'video/webm')).toBe('film.mov');
	});

	test.each([
		['teaser.mp4', 'teaser.mp4'],
		['Teaser', 'Teaser.webm'],
		['Release 1.2', 'Release 1.2.webm'],
		['teaser.bin', 'teaser.bin'],
		['../../etc/passwd', '_.._etc_passwd.webm'],
		['C:\\films\\a.mp4', 'C__films_a.mp4'],
		[' . ', 'film.webm'],
	])('that the user chooses as "%s" is %s', (chosen, expected) => {
		expect(name('/film', 'video/webm', chosen)).toBe(expected);
	});

	test('is no longer than a file system takes, and keeps its extension', () => {
		expect(name(`/${'a'.repeat(5000)}.webm`)).toBe(`${'a'.repeat(195)}.webm`);
		const wide = name(`/${encodeURIComponent('🎬'.repeat(300))}.mp4`);
		expect(Buffer.byteLength(wide)).toBe(200);
		expect(wide).toMatch(/^(🎬)+\.mp4$/u);
	});
});
