import type { App } from './InterceptingProxy';

interface StoredFile {
	name: string;
	content: Buffer;
}

/** The part of Google Drive that n8n's node needs to upload files in chunks. */
export class GoogleDrive {
	/** The files that arrived in full: an upload that is broken off leaves none. */
	readonly files: StoredFile[] = [];
	private readonly uploads: StoredFile[] = [];
	/** Whether uploads are refused, as by a full drive. */
	isFull = false;

	empty(): void {
		this.files.length = 0;
		this.uploads.length = 0;
		this.isFull = false;
	}

	readonly answer: App = ({ method, path, headers, body }) => {
		if (method === 'POST' && path === '/upload/drive/v3/files') {
			if (this.isFull) return { status: 403, body: { error: { message: 'The drive is full' } } };
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
