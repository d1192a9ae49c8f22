import type { App } from './InterceptingProxy';

interface Upload {
	/** What was sent before the content. */
	metadata: Record<string, unknown>;
	content: Buffer;
}

/** The part of Google's uploads that n8n's nodes need: metadata first, and then the content in chunks. */
export class Uploads {
	/** The files that arrived in full: an upload that is broken off leaves none. */
	readonly files: Upload[] = [];
	private readonly begun: Upload[] = [];
	/** The number of uploads that are still accepted; later ones are refused, as by a full drive. */
	uploadsLeft = Infinity;

	constructor(private readonly path: string) {}

	empty(): void {
		this.files.length = 0;
		this.begun.length = 0;
		this.uploadsLeft = Infinity;
	}

	readonly answer: App = ({ method, path, headers, body }) => {
		if (!path.startsWith(this.path)) return undefined;
		if (method === 'POST') {
			if (this.uploadsLeft-- <= 0) {
				return { status: 403, body: { error: { message: 'No room is left' } } };
			}
			const metadata = JSON.parse(body.toString()) as Upload['metadata'];
			const id = this.begun.push({ metadata, content: Buffer.alloc(0) });
			return {
				headers: { Location: `https://www.googleapis.com${this.path}/${id}` },
				body: metadata,
			};
		}
		const id = path.slice(this.path.length + 1);
		const upload = this.begun[Number(id) - 1];
		if (!upload) return undefined;
		upload.content = Buffer.concat([upload.content, body]);
		const [, last, total] = /-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
		if (Number(last) + 1 < Number(total)) return { status: 308 };
		this.files.push(upload);
		return { body: { id } };
	};
}
