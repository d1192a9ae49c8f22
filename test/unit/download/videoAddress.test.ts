import { hideQuery, parseVideoAddress } from '../../../nodes/VideoGeneration/download/fetchVideo';

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
		' \n',
		undefined,
		null,
		{},
		[],
		['https://files.example/a.mp4'],
		true,
		7,
		'file:///etc/passwd',
		'javascript:alert(1)',
		'data:video/mp4;base64,AAAA',
		'blob:https://files.example/1',
		'ftp://files.example/a.mp4',
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
