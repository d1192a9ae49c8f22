import type { App } from './InterceptingProxy';

const FULL = { status: 403, body: { error: { message: 'The drive is full' } } };

interface StoredFile {
	name: string;
	content: Buffer;
}

/** The part of Google Drive that n8n's node needs for uploads: in chunks, or at once from memory. */
export class GoogleDrive {
	/** The files that arrived in full: an upload that is broken off leaves none. */
	readonly files: StoredFile[] = [];
	private readonly uploads: StoredFile[] = [];
	/** The number of uploads that are still accepted; later ones are refused, as by a full drive. */
	uploadsLeft = Infinity;

	empty(): void {
		this.files.length = 0;
		this.uploads.length = 0;
		this.uploadsLeft = Infinity;
	}

	readonly answer: App = ({ method, path, headers, body }) => {
		if (method === 'POST' && path === '/upload/drive/v3/files') {
			if (this.uploadsLeft-- <= 0) return FULL;
			const [, boundary] = /boundary=(.+)/.exec(headers['content-type'] ?? '') ?? [];
			if (boundary !== undefined) {
				const file = readParts(body, boundary);
				this.files.push(file);
				return { body: { id: `${this.uploads.push(file)}` } };
			}
			const { name } = JSON.parse(body.toString()) as StoredFile;
			const number = this.uploads.push({ name, content: Buffer.alloc(0) });
			return { headers: { Location: `https://www.googleapis.com/upload/session/${number}` } };
		}
		const [, number = ''] = /\/(\d+)$/.exec(path) ?? [];
		const file = this.uploads[Number(number) - 1];
		if (!file) return undefined;
		if (method === 'PUT') {
			file.content = Buffer.concat([file.content, body]);
			const [, last, total] = /-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
			if (Number(last) + 1 < Number(total)) return { status: 308 };
			this.files.push(file);
			return { body: { id: number } };
		}
		const webViewLink = `https://drive.google.com/file/d/${number}/view`;
		return { body: { id: number, name: file.name, webViewLink } };
	};
}

/** Returns the file of an upload with two parts: its metadata and its content. */
function readParts(body: Buffer, boundary: string): StoredFile {
	const [metadata = '', content = ''] = body
		.toString('latin1')
		.split(`--${boundary}`)
		.slice(1)
		.map((part) => part.slice(part.indexOf('\r\n\r\n') + 4, -2));
	const { name } = JSON.parse(metadata) as StoredFile;
	return { name, content: Buffer.from(content, 'latin1') };
}
