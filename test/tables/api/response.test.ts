import fc from 'fast-check';
import { encodePathSegment } from '../../../nodes/VideoGeneration/api/endpoints';
import { hideKey } from '../../../nodes/VideoGeneration/api/hideKey';
import {
	checkBody,
	getServiceMessage,
	requireList,
	toText,
} from '../../../nodes/VideoGeneration/api/response';
import { type FailureKind, RequestFailure } from '../../../nodes/VideoGeneration/failures/failure';
import { toLine } from '../../../nodes/VideoGeneration/failures/texts';
import { KEY_WRITERS } from '../../support/KEY_WRITERS';

const check = (statusCode: number, body: unknown, headers: Record<string, string> = {}) =>
	checkBody({ statusCode, headers }, body);

const FORWARD = { location: 'https://b.example' };

describe('A response', () => {
	test.each([[{ status: 'success', videos: [] }], [[{ id: '1' }]]])(
		'of 200 with %j is passed on',
		(body) => {
			expect(check(200, body)).toBe(body);
		},
	);

	test.each<[status: number, body: unknown, kind: FailureKind, facts: object]>([
		[429, {}, 'rateLimited', {}],
		[500, {}, 'uncertain', {}],
		[529, {}, 'uncertain', {}],
		[408, {}, 'rejected', {}],
		[300, {}, 'redirected', FORWARD],
		[308, {}, 'redirected', FORWARD],
		[400, { message: 'Bad.' }, 'rejected', { serviceMessage: 'Bad.' }],
		[404, '<html></html>', 'rejected', { content: 'html' }],
		[401, '', 'rejected', { content: 'empty' }],
		[403, 'Forbidden', 'rejected', { content: 'other', serviceMessage: 'Forbidden' }],
		[200, '', 'unreadable', { content: 'empty' }],
		[200, undefined, 'unreadable', { content: 'empty' }],
		[200, null, 'unreadable', { content: 'empty' }],
		[200, '<!doctype html><html></html>', 'unreadable', { content: 'html' }],
		[200, '\n <html>', 'unreadable', { content: 'html' }],
		[200, '{"status":"succ', 'unreadable', { content: 'cutOff' }],
		[200, '[{"id":', 'unreadable', { content: 'cutOff' }],
		[200, 'OK', 'unreadable', { content: 'other' }],
		[200, 5, 'unreadable', { content: 'other' }],
		[200, { status: 'error' }, 'unsuccessful', {}],
		[200, { status: 'ok' }, 'unsuccessful', {}],
		[200, { message: 'Down.' }, 'unsuccessful', { serviceMessage: 'Down.' }],
	])('of %d with %j is %s %j', (status, body, kind, facts) => {
		const fail = () => check(status, body, FORWARD);
		expect(fail).toThrow(RequestFailure);
		const all = { kind, httpCode: String(status), ...facts };
		expect(fail).toThrow(expect.objectContaining({ facts: all }) as Error);
	});
});

describe("The service's own words", () => {
	test.each<[body: unknown, words: string | undefined]>([
		[{ message: 'A' }, 'A'],
		[{ error: 'B' }, 'B'],
		[{ error: { message: 'C' } }, 'C'],
		[{ detail: 'D' }, 'D'],
		[{ message: ' ', error: 'B' }, 'B'],
		[{ message: 5, detail: 'D' }, 'D'],
		[{ detail: [{ loc: ['body', 'customPrompt'], msg: 'E' }] }, 'E'],
		[{ errors: [{ field: 'customPrompt', message: 'F' }] }, 'F'],
		[{ errors: ['G'] }, 'G'],
		['At most 500 characters', 'At most 500 characters'],
		...[undefined, null, '<p>Oh</p>', '{"message":', {}, { message: '' }, []].map(
			(none): [unknown, undefined] => [none, undefined],
		),
		[{ error: { code: 1 } }, undefined],
	])('in %j are %j', (body, expected) => {
		expect(getServiceMessage(body).serviceMessage).toBe(expected);
	});

	// The characters that a header can have.
	const sign = fc.integer({ min: 0x21, max: 0x7e }).map((code) => String.fromCharCode(code));
	const write = (key: string, writer: (each: string) => string) => key.replace(/./g, writer);

	test('lose any key whose characters are written in several ways', () => {
		const ways = Object.values(KEY_WRITERS);
		const drawn = fc
			.array(fc.tuple(sign, fc.nat(ways.length - 1)), { minLength: 8, maxLength: 60 })
			// A backslash as it is, before another sign, may be an escape of that.
			.filter((all) => all.every(([each]) => each !== '\\'));
		fc.assert(
			fc.property(drawn, (all) => {
				const key = all.map(([each]) => each).join('');
				const written = all.map(([each, way]) => ways[way]?.(each)).join('');
				expect(hideKey(`No key "${written}".`, key)).toBe('No key "[API key]".');
			}),
			{ seed: 1, numRuns: 100 },
		);
	});

	test('lose a key with slashes that are escaped twice', () => {
		expect(hideKey('No key k\\\\/9+8=7:6!', 'k/9+8=7:6')).toBe('No key [API key]!');
	});

	test('lose a very long key', () => {
		const key = Array.from({ length: 1_000 }, (_, i) => i.toString(36)).join('.');
		for (const writer of Object.values(KEY_WRITERS)) {
			const written = write(key, writer);
			expect(hideKey(`No key ${written}, ${written.slice(0, -1)}!`, key)).toMatch(
				/^No key \[API key\], [^[]+!$/,
			);
		}
	});

	/** Counts how often each part of a pattern may have been compared: all parts, wherever a search has looked. */
	const countSteps = <T>(run: () => T): [result: T, steps: number] => {
		const { exec } = RegExp.prototype;
		let steps = 0;
		const spy = jest.spyOn(RegExp.prototype, 'exec').mockImplementation(function (
			this: RegExp,
			text: string,
		) {
			const from = this.lastIndex;
			const found = exec.call(this, text);
			const looked = this.sticky ? 0 : (found?.index ?? text.length) - from;
			steps += (looked + 1) * this.source.length;
			return found;
		});
		try {
			return [run(), steps];
		} finally {
			spy.mockRestore();
		}
	};

	/** The processor time of this process, in milliseconds: others may be busy. */
	const measure = (run: () => unknown) => {
		const before = process.cpuUsage();
		run();
		return process.cpuUsage(before).user / 1000;
	};

	test('take as many steps to be searched as they have characters, and lose any key', () => {
		const part = fc.string({
			unit: fc.constantFrom('a', 'b', '/', '%', '&', '\\', '25'),
			minLength: 1,
		});
		const repeated = fc
			.tuple(part, fc.nat(200), part)
			.map(([words, times, last]) => `${words.repeat(1 + times)}${last}`);
		const writers = fc.constantFrom(...Object.values(KEY_WRITERS));
		fc.assert(
			fc.property(
				repeated,
				writers,
				fc.double({ noNaN: true, min: 0, max: 1 }),
				(drawn, writer, share) => {
					const key = `${drawn}key-9876`;
					// The beginning of the key, over and over again.
					const beginning = write(key.slice(0, 1 + share * (key.length - 2)), writer);
					const length = 100_000;
					const written = write(key, writer);
					const text = `${beginning.repeat(length / beginning.length)} ${key} ${written} \\`;
					const [hidden, steps] = countSteps(() => hideKey(text, key));
					expect(hidden).not.toContain(key);
					expect(hidden).not.toContain(written);
					expect(steps / length).toBeLessThan(4_000);
				},
			),
			{ seed: 1, numRuns: 60 },
		);
	});

	test('are read in milliseconds, however long they are', () => {
		const errors = Array.from({ length: 1_000_000 }, () => ({ message: ' ' }));
		const message = '<a>'.repeat(3_000_000);
		expect(measure(() => getServiceMessage({ message, errors }))).toBeLessThan(10_000);
	});

	test('keep a key that is too short to be one, and may stand anywhere', () => {
		expect(hideKey('{"status":"success","id":"x-1"}', 'x')).toBe('{"status":"success","id":"x-1"}');
		expect(hideKey('{"error":"Unknown key key-1"}', 'key-1')).toBe(
			'{"error":"Unknown key [API key]"}',
		);
	});

	test('are shown as one line without markup, of at most 300 characters', () => {
		expect(toLine('<b>No</b>\n\tcredits\u0000 <script>x</script>left')).toBe('No credits x left');
		expect(toLine('<br><br>')).toBe('');
		// What is longer is cut before it is searched.
		expect(toLine(`${'<br>'.repeat(1_024)}too late`)).toBe('');
		// The text after it may hold the end of the tag: "Queue > Wait".
		expect(toLine('At <b<i>a href="https://evil.example')).toBe(
			'At < b a href="https://evil.example',
		);
		expect(toLine('1 < 2, <3')).toBe('1 < 2, <3');
		expect(toLine('x'.repeat(10_000))).toBe(`${'x'.repeat(299)}…`);
	});
});

describe('What the specification promises', () => {
	test('is a list, which may be null or stand alone', () => {
		expect(requireList({ videos: null }, 'videos')).toEqual([]);
		expect(requireList([{ id: 'a' }] as never, 'videos')).toEqual([{ id: 'a' }]);
	});

	test('is an ID, as text or as a number', () => {
		const ids = ['q', ' q ', 7, null, ['q'], {}].map(toText);
		expect(ids).toEqual(['q', 'q', '7', '', '', '']);
	});
});

describe('A value in a path', () => {
	test('is exactly one segment of it, and is decoded to what it was', () => {
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

	test.each(['', '.', '..', '\ud800'])('can never be %j', (value) => {
		expect(encodePathSegment(value)).toBeUndefined();
	});
});
