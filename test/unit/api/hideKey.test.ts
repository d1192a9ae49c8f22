import fc from 'fast-check';
import { hideKey, toLine } from '../../../nodes/VideoGeneration/api/response';

const KEY = 'vg+live/7Hq2x';
const HIDDEN = '[API key]';

const percent = (text: string) =>
	Array.from(text, (character) => `%${character.charCodeAt(0).toString(16)}`).join('');
const unicode = (text: string) =>
	Array.from(text, (character) => `\\u00${character.charCodeAt(0).toString(16)}`).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');

const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
const character = fc.constantFrom(...Array.from(LETTERS + '+/=._~:-|*$@!,()[]{}^?&<>"\''));
const keys = fc.string({ unit: character, minLength: 8, maxLength: 80 });

describe("The service's words lose the key", () => {
	test.each([
		['as it is', `No such key: ${KEY}.`, `No such key: ${HIDDEN}.`],
		['twice', `${KEY} is not ${KEY}`, `${HIDDEN} is not ${HIDDEN}`],
		['in a link, in lower case', '/v1?key=vg%2blive%2f7Hq2x', `/v1?key=${HIDDEN}`],
		['in JSON of Java', `key ${KEY.replace('+', '\\u002B')}`, `key ${HIDDEN}`],
		['in HTML', `key ${KEY.replace('+', '&#43;').replace('/', '&#x2F;')}`, `key ${HIDDEN}`],
		['in base64', `Bad header ${base64(`Bearer ${KEY}!`)}`, /^Bad header \w+\[API key\]\w+=*$/],
		['nowhere, in escapes of its own', 'Not 100%25 of C:\\\\x', 'Not 100%25 of C:\\\\x'],
	])('that stands there %s', (_how, words, expected) => {
		const hidden = hideKey(words, KEY);
		if (typeof expected === 'string') expect(hidden).toBe(expected);
		else expect(hidden).toMatch(expected);
	});

	test.each<[string, (text: string) => string]>([
		['plain', String],
		['in a link', encodeURIComponent],
		['in a link within a link', (text) => encodeURIComponent(encodeURIComponent(text))],
		['with every character as a percentage', percent],
		['with every character as an escape of JSON', unicode],
		['in JSON', (text) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/')],
		['in HTML', (text) => text.replace(/[&<>"'+=/]/g, (each) => `&#${each.charCodeAt(0)};`)],
		['in HTML by name', (text) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;')],
		['in base64', base64],
		['in base64 of addresses', (text) => Buffer.from(text).toString('base64url')],
	])('whatever the key is: %s', (_how, write) => {
		fc.assert(
			fc.property(keys, (key) => {
				const hidden = hideKey(`No key "${write(key)}" here`, key);
				expect(hidden).toContain(HIDDEN);
				expect(hidden).not.toContain(write(key).slice(0, 8));
			}),
			{ seed: 1, numRuns: 200 },
		);
	});

	test('also where the words are cut off in its middle', () => {
		for (let before = 4_080; before < 4_100; before++) {
			expect(hideKey(`${'x'.repeat(before)}${KEY} and so on`, KEY)).not.toContain(KEY.slice(0, 4));
		}
		expect(hideKey('x'.repeat(8_190) + KEY, KEY)).not.toContain('v');
	});

	test('and nothing else, however short the key is', () => {
		expect(hideKey('Not a word of it', 'Q')).toBe('Not a word of it');
	});

	test('in milliseconds, whatever they and the key are', () => {
		const hostile = ['a'.repeat(60), '%'.repeat(60), '\\'.repeat(60), '&#x'.repeat(20)];
		const texts = [...hostile, '<', '\\', '%25', '&amp;', '&#0000', 'A', ' ', '<a', '\\u00'];
		const before = process.cpuUsage();
		for (const key of [...hostile, 'ab'.repeat(400), '%25'.repeat(30)]) {
			for (const text of texts) toLine(hideKey(text.repeat(Math.ceil(1e6 / text.length)), key));
		}
		expect(process.cpuUsage(before).user / 1000 / 6 / texts.length).toBeLessThan(20);
	});
});

test('Words are shown as one line without markup, of at most 300 characters', () => {
	expect(toLine('<b>No</b>\n\tcredits\u0000 <script>x</script>left')).toBe('No credits x left');
	expect(toLine('<br><br>')).toBe('');
	expect(toLine('x'.repeat(10_000))).toBe(`${'x'.repeat(299)}…`);
});
