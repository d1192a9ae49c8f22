import type { App } from './InterceptingProxy';

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
	channel?: string;
	comment?: string;
	/** The body of the upload: a form that contains the file. */
	upload: Buffer;
}

/** The part of Slack that n8n's node needs to post messages and files. */
export class Slack {
	readonly messages: Message[] = [];

	readonly files: PostedFile[] = [];

	private readonly uploads: Buffer[] = [];

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

	/** Returns the link of a button in the last message. */
	findButton(label: string): string {
		const elements = this.messages.at(-1)?.blocks?.flatMap(({ elements = [] }) => elements) ?? [];
		const button = elements.find(({ text }) => text.text === label);
		if (!button) throw new Error(`The last message has no button "${label}"`);
		return button.url;
	}

	readonly answer: App = ({ path, body }) => {
		const [, method = ''] = /^\/api\/(.+)$/.exec(path) ?? [];
		const content = this.respond(method, body);
		return content && { body: content };
	};

	/** Answers at the address to which Slack has files sent. */
	readonly answerUpload: App = ({ body }) => {
		this.uploads.push(body);
		return { body: 'OK' };
	};

	/** @returns undefined for an unknown method */
	private respond(method: string, body: Buffer): object | undefined {
		switch (method) {
			case 'chat.postMessage': {
				const message = JSON.parse(body.toString()) as Message;
				const ts = String(this.messages.push(message));
				return { ok: true, channel: message.channel, ts, message };
			}
			case 'files.getUploadURLExternal':
				return { ok: true, upload_url: 'https://files.slack.com/upload/v1/F01', file_id: 'F01' };
			case 'files.completeUploadExternal': {
				const { channel_id, initial_comment, files } = JSON.parse(body.toString()) as {
					channel_id?: string;
					initial_comment?: string;
					files: object[];
				};
				const upload = this.uploads.pop();
				if (!upload) return { ok: false, error: 'file_not_found' };
				this.files.push({ channel: channel_id, comment: initial_comment, upload });
				return { ok: true, files };
			}
			default:
				return undefined;
		}
	}
}
