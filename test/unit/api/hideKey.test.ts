import fc from 'fast-check';
import { createKeyHider, hideKey } from '../../../nodes/VideoGeneration/api/hideKey';
import type { FailureFacts, FailureKind } from '../../../nodes/VideoGeneration/failures/failure';
import { RequestFailure } from '../../../nodes/VideoGeneration/failures/failure';

const KEY = 'vg+live/7Hq2x';
const HIDDEN = '[API key]';
const createContext = (apiKey: unknown) => ({
	getCredentials: async () => await Promise.resolve({ apiKey } as never),
});
const UNREADABLE = {
	getCredentials: async () => await Promise.reject(new Error('Connection terminated')),
};

const hideFacts = async (
	words: Omit<FailureFacts, 'kind'>,
	context: Parameters<typeof hideKey>[0] = createContext(` Bearer ${KEY}\n`),
	kind: FailureKind = 'rejected',
) => {
	const failure = new RequestFailure({ kind, ...words } as FailureFacts);
	const { kind: shownKind, ...shown } = (await hideKey(context, failure)).facts;
	expect(shownKind).toBe(kind);
	return shown;
};
const hide = async (serviceMessage: string) => (await hideFacts({ serviceMessage })).serviceMessage;

const percent = (text: string) =>
	Array.from(text, (character) => `%${character.charCodeAt(0).toString(16)}`).join('');
const unicode = (text: string) =>
	Array.from(text, (character) => `\\u00${character.charCodeAt(0).toString(16)}`).join('');
const base64 = (text: string) => Buffer.from(text).toString('base64');

describe("The service's words lose the key", () => {
	test.each([
		['as it is', `No such key: ${KEY}.`, `No such key: ${HIDDEN}.`],
		['twice', `${KEY} is not ${KEY}`, `${HIDDEN} is not ${HIDDEN}`],
		['in a link', `/v1?key=${encodeURIComponent(KEY)}&a=1`, `/v1?key=${HIDDEN}&a=1`],
		['in a link, in lower case', '/v1?key=vg%2blive%2f7Hq2x', `/v1?key=${HIDDEN}`],
		[
			'in a link within a link',
			`?next=${encodeURIComponent(`/?key=${encodeURIComponent(KEY)}`)}`,
			`?next=/?key=${HIDDEN}`,
		],
		['in JSON of PHP', `{"key":"${KEY.replace('/', '\\/')}"}`, `{"key":"${HIDDEN}"}`],
		['in JSON of Java', `key ${KEY.replace('+', '\\u002B')}`, `key ${HIDDEN}`],
		['in HTML', `key ${KEY.replace('+', '&#43;').replace('/', '&#x2F;')}`, `key ${HIDDEN}`],
		['in base64', `Bad header ${base64(KEY)}`, `Bad header ${HIDDEN}`],
		['in hexadecimal', `Key ${Buffer.from(KEY).toString('hex').toUpperCase()}`, `Key ${HIDDEN}`],
		['nowhere, in escapes of its own', 'Not 100%25 of C:\\\\x', 'Not 100%25 of C:\\\\x'],
	])('that stands there %s', async (_how, words, expected) => {
		expect(await hide(words)).toBe(expected);
	});

	test.each(['serviceMessage', 'location', 'lastStatus'] as const)('in %s', async (name) => {
		expect(await hideFacts({ [name]: `x=${KEY}` })).toEqual({ [name]: `x=${HIDDEN}` });
	});

	const LETTERS = 'abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789';
	const character = fc.constantFrom(...Array.from(LETTERS + '+/=._~:-|*$@!,()[]{}^?'));
	const key = fc
		.string({ unit: character, minLength: 8, maxLength: 80 })
		.filter((text) => !/^bearer/i.test(text));

	test('in any form, escaped up to three times', async () => {
		const escapes = fc.array(
			fc.constantFrom(
				encodeURIComponent,
				(text: string) =>
					encodeURIComponent(text).replace(/%../g, (escape) => escape.toLowerCase()),
				percent,
				unicode,
				(text: string) => JSON.stringify(text).slice(1, -1).replaceAll('/', '\\/'),
				(text: string) => text.replace(/[&<>"'+=/]/g, (each) => `&#${each.charCodeAt(0)};`),
				(text: string) => text.replaceAll('&', '&amp;').replaceAll('<', '&lt;'),
			),
			{ maxLength: 3 },
		);
		await fc.assert(
			fc.asyncProperty(key, escapes, async (secret, chain) => {
				const written = chain.reduce((text, escape) => escape(text), secret);
				const { serviceMessage = '' } = await hideFacts(
					{ serviceMessage: `No key "${written}" here` },
					createContext(secret),
				);
				expect(serviceMessage).toContain(HIDDEN);
				expect(serviceMessage).not.toContain(written);
				expect(serviceMessage).not.toContain(secret);
			}),
			{ seed: 1, numRuns: 1_000 },
		);
	});

	test('in base64 of either alphabet, whatever stands before and after it', async () => {
		const text = fc.string({ unit: character, maxLength: 9 });
		await fc.assert(
			fc.asyncProperty(key, text, text, fc.boolean(), async (secret, before, after, isUrl) => {
				const written = Buffer.from(before + secret + after).toString(
					isUrl ? 'base64url' : 'base64',
				);
				const hideIn = await createKeyHider(createContext(secret));
				const hidden = hideIn?.(`Header ${written}, `) ?? '';
				expect(hidden).toContain(HIDDEN);
				const rest = hidden.slice('Header '.length).split(HIDDEN);
				const [left = '', right = ''] = rest;
				expect(Buffer.from(left, 'base64').toString('latin1').length).toBeLessThanOrEqual(
					before.length,
				);
				expect(right.length).toBeLessThanOrEqual(Math.ceil((after.length + 2) / 3) * 4 + 1);
			}),
			{ seed: 1, numRuns: 1_000 },
		);
	});

	test('before they are shortened to 300 characters, wherever it stands', async () => {
		expect(await hide('x'.repeat(10_000))).toBe(`${'x'.repeat(299)}…`);
		for (let before = 280; before < 310; before++) {
			const hidden = await hide(`${'x'.repeat(before)}${KEY} is not known`);
			expect(hidden).not.toContain(KEY.slice(0, 4));
			expect(hidden?.length).toBeLessThanOrEqual(300);
		}
	});

	test('also where it is cut off in the middle, after much markup', async () => {
		for (let keptLength = 1; keptLength < 3 * KEY.length; keptLength++) {
			const tags = '<p>'.repeat(2_000).slice(0, 4_096 - 3 - keptLength);
			const hidden = await hide(`No ${tags}${percent(KEY)} and so on`);
			expect(hidden).toMatch(/^No(?! %)/);
			expect(hidden).not.toContain('%76');
		}
	});
});

describe("When the key cannot be read, the service's words", () => {
	test.each([
		['the credential cannot be read', UNREADABLE],
		['the credential has no key any more', createContext('')],
		['the key cannot be sent', createContext('a b')],
	])('are withheld: %s', async (_why, context) => {
		const facts = { httpCode: '403', serviceMessage: `Key ${KEY}`, location: KEY, lastStatus: KEY };
		expect(await hideFacts(facts, context)).toEqual({ httpCode: '403' });
		expect(await createKeyHider(context)).toBeUndefined();
	});

	test("are kept where they are not the service's, and say what is wrong", async () => {
		const facts = { serviceMessage: 'Connection terminated' };
		expect(await hideFacts(facts, UNREADABLE, 'unsent')).toEqual(facts);
	});
});

test('Words are shown as one line without markup', async () => {
	expect(await hide('<b>No</b>\n\tcredits\u0000 <script>x</script>left')).toBe('No credits x left');
	expect(await hide('<br><br>')).toBeUndefined();
});

test('Words are searched in milliseconds, whatever they and the key are', async () => {
	const keys = [
		'a'.repeat(60),
		'%'.repeat(60),
		'\\'.repeat(60),
		'&#x'.repeat(20),
		'ab'.repeat(400),
	];
	const texts = [...keys, '<', '\\', '%25', '&amp;', '&#0000', 'A', ' ', '<a', '\\u00'];
	const before = process.cpuUsage();
	for (const key of keys) {
		const hideIn = await createKeyHider(createContext(key));
		for (const text of texts) hideIn?.(text.repeat(Math.ceil(1e6 / text.length)));
	}
	const { user } = process.cpuUsage(before);
	expect(user / 1000 / keys.length / texts.length).toBeLessThan(20);
});
