import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Numbers of bytes before the key: the key's base64 differs for each of them. */
const ALIGNMENTS = [0, 1, 2];

/** Searches for a key in every encoding in which it may appear. */
export class KeySearch {
	private readonly forms: Buffer[];

	constructor(key: string) {
		const link = encodeURIComponent(key);
		const slashes = key.replaceAll('/', '\\/');
		const texts = [
			...[key, ...listEscapes(link), ...listEscapes(encodeURIComponent(link))],
			// In JSON of a service, and once more in that of n8n.
			...[slashes, slashes.replaceAll('\\', '\\\\')],
			...[escapeEntities(key), escapeEntities(key).replaceAll('&', '&amp;')],
		];
		const encoded = ALIGNMENTS.flatMap((alignment) => {
			const base64 = encodeAligned(key, alignment);
			return [base64, base64.replaceAll('+', '-').replaceAll('/', '_')];
		});
		const hex = Buffer.from(key).toString('hex');
		this.forms = [...new Set([...texts, ...encoded, hex])].map((form) => Buffer.from(form));
	}

	isIn(content: Buffer | string): boolean {
		const bytes = Buffer.from(content);
		return this.forms.some((form) => bytes.includes(form));
	}

	/** @returns the files below a folder that contain the key */
	findFiles(folder: string): string[] {
		return readdirSync(folder, { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map((entry) => join(entry.parentPath, entry.name))
			.filter((file) => this.isIn(readFileSync(file)))
			.map((file) => relative(folder, file));
	}
}

/** Returns a text with its percent-encoding in upper and in lower case. */
function listEscapes(text: string): string[] {
	return [text, text.replace(/%../g, (escape) => escape.toLowerCase())];
}

/** Escapes the characters of a key that HTML escapes, some with names and some with numbers. */
export function escapeEntities(text: string): string {
	return text.replace(/[+/=]/g, (character) => `&#x${character.charCodeAt(0).toString(16)};`);
}

/**
 * Returns the base64 of a text after that many other bytes, without the characters that depend on
 * the neighboring bytes.
 */
function encodeAligned(text: string, alignment: number): string {
	const bytes = Buffer.concat([Buffer.alloc(alignment), Buffer.from(text)]);
	const wholeGroups = Math.floor(bytes.length / 3) * 4;
	return bytes.toString('base64').slice(alignment === 0 ? 0 : 4, wholeGroups);
}
