import fc from 'fast-check';
import { encodePathSegment } from '../../../../nodes/VideoGeneration/request/steps/encodePathSegment';

describe('A value in a path', () => {
	test('is exactly one segment of it, and reads back as it was', () => {
		fc.assert(
			fc.property(fc.string({ unit: 'binary' }), (value) => {
				const segment = encodePathSegment(value);
				if (segment === undefined) return;
				const { pathname, search, hash } = new URL(`/v1/queue/progress/${segment}`, 'http://x');
				expect(pathname.split('/')).toHaveLength(5);
				expect(decodeURIComponent(pathname.split('/')[4] ?? '')).toBe(value);
				expect(search + hash).toBe('');
			}),
		);
	});

	test.each(['', '.', '..', '\ud800'])('%j can be none', (value) => {
		expect(encodePathSegment(value)).toBeUndefined();
	});

	test.each(['../clear', 'a/b?c#d', '%2e%2e', '...', 'a\nb', '雪', 'x'.repeat(10_000)])(
		'%j can be one',
		(value) => {
			expect(decodeURIComponent(encodePathSegment(value) ?? '')).toBe(value);
			expect(encodePathSegment(value)).not.toMatch(/[/?#\s]/);
		},
	);
});
