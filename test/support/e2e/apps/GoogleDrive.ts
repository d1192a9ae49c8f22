import type { App } from './InterceptingProxy';

interface StoredFile {
	name: string;
	content: Buffer;
}

/** Google Drive, as far as n8n's node uploads files to it: in chunks. */
export class GoogleDrive {
	readonly files: StoredFile[] = [];
	/** Refuse uploads, as a drive does that is full. */
	isFull = false;

	empty(): void {
		this.files.length = 0;
		this.isFull = false;
	}

	readonly answer: App = ({ method, path, headers, body }) => {
		if (method === 'POST' && path === '/upload/drive/v3/files') {
			if (this.isFull) return { status: 403, body: { error: { message: 'The drive is full' } } };
			const { name } = JSON.parse(body.toString()) as StoredFile;
			const number = this.files.push({ name, content: Buffer.alloc(0) });
			return { headers: { Location: `https://www.googleapis.com/upload/session/${number}` } };
		}
		const [, number = ''] = /\/(\d+)$/.exec(path) ?? [];
		const file = this.files[Number(number) - 1];
		if (!file) return undefined;
		if (method === 'PUT') {
			file.content = Buffer.concat([file.content, body]);
			const [, last, total] = /-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
			return Number(last) + 1 < Number(total) ? { status: 308 } : { body: { id: number } };
		}
		const webViewLink = `https://drive.google.com/file/d/${number}/view`;
		return { body: { id: number, name: file.name, webViewLink } };
	};
}
