import axios from 'axios';
import type { App } from './InterceptingProxy';

/** A browser's user agent: n8n takes no answer from the previews of chats and mail programs. */
const BROWSER = { 'User-Agent': 'Mozilla/5.0 (X11; Linux x86_64) Firefox/140.0' };

interface Message {
	channel: string;
	text?: string;
	blocks?: {
		text?: { text: string };
		elements?: { text: { text: string }; url: string }[];
	}[];
}

/** A file that was posted to a channel. */
interface PostedFile {
	channel_id?: string;
	initial_comment?: string;
	files?: object[];
	/** The body of the upload: a form that contains the file. */
	upload: Buffer;
}

/** The part of Slack that n8n's node needs to post messages and files. */
export class Slack {
	readonly messages: Message[] = [];
	readonly files: PostedFile[] = [];
	private upload: Buffer = Buffer.alloc(0);

	readonly choice = { channelId: { __rl: true, mode: 'id', value: 'C01' } };

	empty(): void {
		this.messages.length = 0;
		this.files.length = 0;
	}

	get texts(): string[] {
		return this.messages.map(({ text = '', blocks = [] }) =>
			[text, ...blocks.map((block) => block.text?.text.trim() ?? '')].filter(Boolean).join('\n'),
		);
	}

	/**
	 * Presses a button of the last message, as a person does in a browser.
	 *
	 * @param address n8n's address now: a restarted n8n has another port
	 * @returns the status of n8n's response
	 */
	async press(address: string, label: string): Promise<number> {
		const elements = this.messages.at(-1)?.blocks?.flatMap(({ elements = [] }) => elements) ?? [];
		const button = elements.find(({ text }) => text.text === label);
		const { pathname, search } = new URL(button?.url ?? '');
		const settings = { headers: BROWSER, proxy: false, validateStatus: () => true } as const;
		return (await axios.get(`${address}${pathname}${search}`, settings)).status;
	}

	readonly answer: App = ({ path, body }) => {
		if (path === '/api/chat.postMessage') {
			const message = JSON.parse(body.toString()) as Message;
			const ts = String(this.messages.push(message));
			return { body: { ok: true, channel: message.channel, ts, message } };
		}
		if (path === '/api/files.getUploadURLExternal') {
			const upload_url = 'https://files.slack.com/upload/v1/F01';
			return { body: { ok: true, upload_url, file_id: 'F01' } };
		}
		if (path !== '/api/files.completeUploadExternal') return undefined;
		const file = { ...(JSON.parse(body.toString()) as PostedFile), upload: this.upload };
		this.files.push(file);
		return { body: { ok: true, files: file.files } };
	};

	/** Answers at the address to which Slack has files sent. */
	readonly answerUpload: App = ({ body }) => {
		this.upload = body;
		return { body: 'OK' };
	};
}
