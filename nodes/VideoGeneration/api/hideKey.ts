import type { IPollFunctions } from 'n8n-workflow';
import { CREDENTIAL, isSendableKey, trimApiKey } from '../../../credentials/connection';
import type { FailureFacts, FailureKind } from '../failures/failure';
import { RequestFailure } from '../failures/failure';
import { MAX_WORDS_LENGTH } from './response';

const HIDDEN = '[API key]';
const MAX_SHOWN_LENGTH = 300;

/** The facts of a failure that quote the service, which may repeat the key. */
const WORDS = [
	'serviceMessage',
	'location',
	'lastStatus',
	'receivedText',
	'receivedQueueId',
] as const;

/** Failures without a response: their words come from n8n or this package. */
const WITHOUT_RESPONSE: FailureKind[] = ['badCredential', 'unsent', 'storageFailed'];

/**
 * Prepares the service's words for being shown: removes the key, in every form in which a service may
 * repeat it, and markup, and shortens them. When the key cannot be read, the words are removed.
 */
export async function hideKey(
	context: Pick<IPollFunctions, 'getCredentials'>,
	failure: RequestFailure,
): Promise<RequestFailure> {
	const { kind, facts } = failure;
	if (WORDS.every((name) => facts[name] === undefined)) return failure;
	const hide = await createKeyHider(context);
	const shown: FailureFacts = { ...facts };
	for (const name of WORDS) {
		const words = shown[name];
		if (words === undefined || (!hide && WITHOUT_RESPONSE.includes(kind))) continue;
		const text = hide?.(words, name === 'receivedText') ?? '';
		shown[name] = text === '' ? undefined : text;
	}
	return new RequestFailure(shown);
}

/**
 * @returns a function that removes the key from a text of the service, which becomes one line without
 * markup, unless it is kept as it was received, of at most 300 characters; undefined when the key cannot
 * be read
 */
export async function createKeyHider(
	context: Pick<IPollFunctions, 'getCredentials'>,
): Promise<((text: string, isAsReceived?: boolean) => string) | undefined> {
	const { apiKey } = await context
		.getCredentials<{ apiKey?: unknown }>(CREDENTIAL)
		.catch(() => ({ apiKey: undefined }));
	const key = trimApiKey(apiKey);
	if (!isSendableKey(key)) return undefined;
	const forms = createForms(key);
	return (text, isAsReceived = false) => {
		const hidden = hideForms(text, forms, key.length);
		return isAsReceived ? hidden.slice(0, MAX_SHOWN_LENGTH) : shorten(toLine(hidden));
	};
}

/** A shorter key would be found in too many words. */
const MIN_ENCODED_LENGTH = 6;

/** The key as it is, in hexadecimal, and in base64, which depends on the text before it. */
function createForms(key: string): RegExp[] {
	const plain = new RegExp(escape(key), 'g');
	if (key.length < MIN_ENCODED_LENGTH) return [plain];
	const hex = new RegExp(Buffer.from(key).toString('hex'), 'gi');
	const base64 = [0, 1, 2].map((offset) => {
		const whole = Buffer.from(' '.repeat(offset) + key).toString('base64');
		const end = Math.floor(((offset + key.length) * 8) / 6);
		const inner = escape(whole.slice(Math.ceil((offset * 8) / 6), end));
		const inAnyAlphabet = inner.replace(/\\\+/g, '[+-]').replace(/\//g, '[/_]');
		// At both ends, a character of base64 mixes the key with the text beside it.
		return new RegExp(`[\\w+/-]?${inAnyAlphabet}[\\w+/=-]{0,3}`, 'g');
	});
	return [plain, hex, ...base64];
}

function escape(text: string): string {
	return text.replace(/[\\^$.*+?()[\]{}|]/g, '\\$&');
}

/** How often a text may have been escaped: in a link within a link, within JSON, within HTML. */
const MAX_LEVELS = 4;

/** A character of a key takes at most so many after it was escaped a few times. */
const MAX_ESCAPED_LENGTH = 10;

function hideForms(text: string, forms: RegExp[], keyLength: number): string {
	let hidden = text.slice(0, MAX_WORDS_LENGTH);
	let decoded = hidden;
	for (let level = 0; level <= MAX_LEVELS; level++) {
		const replaced = forms.reduce((each, form) => each.replace(form, HIDDEN), decoded);
		// Where the key was escaped, the text is shown without its escapes.
		if (replaced !== decoded) hidden = replaced;
		decoded = decode(replaced);
	}
	// The cut may have split a key, so the end goes as well.
	return text.length < MAX_WORDS_LENGTH ? hidden : hidden.slice(0, -MAX_ESCAPED_LENGTH * keyLength);
}

/** The escapes of printable ASCII in links, in JSON and in HTML. */
const ESCAPE =
	/(?:%|\\u00)([2-7][\da-f])|&#x0{0,4}([2-7][\da-f]);|&#0{0,4}(\d{2,3});|&(amp|lt|gt|quot);|\\([/\\"'])/gi;

const ENTITIES: Record<string, string> = { amp: '&', lt: '<', gt: '>', quot: '"' };

/** Decodes the escapes in a text, once. */
function decode(text: string): string {
	return text.replace(ESCAPE, (_escape, ...groups: (string | undefined)[]) => {
		const [hex, hexEntity, decimal, name, character] = groups;
		const code = hex ?? hexEntity;
		if (code !== undefined) return String.fromCharCode(parseInt(code, 16));
		if (decimal !== undefined) return String.fromCharCode(Number(decimal));
		return ENTITIES[name?.toLowerCase() ?? ''] ?? character ?? '';
	});
}

/** One line without markup. */
function toLine(text: string): string {
	return text
		.replace(/<[^<>]*>/g, ' ')
		.replace(/[\s\p{Cc}]+/gu, ' ')
		.trim();
}

function shorten(text: string): string {
	return text.length > MAX_SHOWN_LENGTH ? `${text.slice(0, MAX_SHOWN_LENGTH - 1)}…` : text;
}
