import { normalizeBaseUrl } from '../../../nodes/VideoGeneration/request/normalizeBaseUrl';

describe('The Base URL', () => {
	test.each([
		['https://api.example.com', 'https://api.example.com'],
		['https://api.example.com/', 'https://api.example.com'],
		['https://api.example.com/v1', 'https://api.example.com'],
		['https://api.example.com/v1/', 'https://api.example.com'],
		['https://api.example.com/V1//', 'https://api.example.com'],
		['  https://api.example.com \n', 'https://api.example.com'],
		['https://example.com/api/video/v1', 'https://example.com/api/video'],
		['https://example.com/api/v1beta', 'https://example.com/api/v1beta'],
		['https://api.example.com/?x=1#y', 'https://api.example.com'],
		['api.example.com', 'https://api.example.com'],
		['localhost:3456', 'http://localhost:3456'],
		['127.0.0.1:3456/v1', 'http://127.0.0.1:3456'],
		['http://[::1]:3456', 'http://[::1]:3456'],
	])('%j is taken as %s', (pasted, expected) => {
		expect(normalizeBaseUrl(pasted)).toBe(expected);
	});

	test.each(['', '   ', undefined, 5])('%j is reported as empty', (pasted) => {
		expect(() => normalizeBaseUrl(pasted)).toThrow(
			/Base URL is empty.*Open the Video Generation API credential/,
		);
	});

	test.each([
		'ftp://example.com',
		'https:///',
		'https://user:secret@example.com',
		'javascript://x',
		'https://exa mple.com',
	])('%j is reported as no web address, without repeating it', (pasted) => {
		expect(() => normalizeBaseUrl(pasted)).toThrow(/not a web address/);
		expect(() => normalizeBaseUrl(pasted)).not.toThrow(pasted);
	});
});
