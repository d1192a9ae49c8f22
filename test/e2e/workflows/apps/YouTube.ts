import type { App } from './InterceptingProxy';

interface Upload {
	title: string;
	description: string;
	privacyStatus: string;
	content: Buffer;
}

const UPLOADS = '/upload/youtube/v3/videos';

/** The part of YouTube that n8n's node needs to upload videos in chunks. */
export class YouTube {
	/** The published videos: an upload that is broken off publishes none. */
	readonly videos: Upload[] = [];
	/** Whether uploads are refused, as after too many in a day. */
	isOverQuota = false;
	private readonly uploads: Upload[] = [];

	empty(): void {
		this.videos.length = 0;
		this.uploads.length = 0;
		this.isOverQuota = false;
	}

	readonly answer: App = ({ method, path, headers, body }) => {
		if (!path.startsWith(UPLOADS)) return undefined;
		if (method === 'POST' && path === UPLOADS) return this.begin(body);
		const number = path.slice(UPLOADS.length + 1);
		const upload = this.uploads[Number(number) - 1];
		if (method !== 'PUT' || !upload) return undefined;
		upload.content = Buffer.concat([upload.content, body]);
		const [, last, total] = /-(\d+)\/(\d+)$/.exec(headers['content-range'] ?? '') ?? [];
		if (Number(last) + 1 < Number(total)) return { status: 308 };
		this.videos.push(upload);
		return { body: { id: `video-${number}` } };
	};

	private begin(body: Buffer): ReturnType<App> {
		if (this.isOverQuota) {
			return { status: 403, body: { error: { message: 'The quota is used up' } } };
		}
		const { snippet, status } = JSON.parse(body.toString()) as { snippet: Upload; status: Upload };
		const { title, description } = snippet;
		const { privacyStatus } = status;
		const content = Buffer.alloc(0);
		const number = this.uploads.push({ title, description, privacyStatus, content });
		return {
			headers: { Location: `https://www.googleapis.com${UPLOADS}/${number}` },
			body: { snippet: { title, description } },
		};
	}
}
