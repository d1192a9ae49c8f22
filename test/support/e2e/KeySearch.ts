import { readdirSync, readFileSync } from 'node:fs';
import { join, relative } from 'node:path';

/** Bytes before the key: base64 looks different for each of these numbers. */
const ALIGNMENTS = [0, 1, 2];

/** Looks for a key wherever it could have come to, in every form that it could have taken. */
export class KeySearch {
	private readonly forms: Buffer[];

	constructor(key: string) {
		const texts = [key, encodeURIComponent(key)];
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

	/** @returns the files below a folder that hold the key */
	findFiles(folder: string): string[] {
		return readdirSync(folder, { recursive: true, withFileTypes: true })
			.filter((entry) => entry.isFile())
			.map((entry) => join(entry.parentPath, entry.name))
			.filter((file) => this.isIn(readFileSync(file)))
			.map((file) => relative(folder, file));
	}
}

/** What base64 makes of a text that stands behind so many other bytes, without what the bytes around it change. */
function encodeAligned(text: string, alignment: number): string {
	const bytes = Buffer.concat([Buffer.alloc(alignment), Buffer.from(text)]);
	const wholeGroups = Math.floor(bytes.length / 3) * 4;
	return bytes.toString('base64').slice(alignment === 0 ? 0 : 4, wholeGroups);
}
