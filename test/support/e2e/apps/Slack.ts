import type { App } from './InterceptingProxy';

interface Message {
	channel: string;
	text?: string;
	blocks?: {
		text?: { text: string };
		elements?: { text: { text: string }; url: string }[];
	}[];
}

/** The part of Slack that n8n's node needs to post messages. */
export class Slack {
	readonly messages: Message[] = [];

	/** Whether requests fail, as in an outage of Slack. */
	isDown = false;

	readonly choice = { channelId: { __rl: true, mode: 'id', value: 'C01' } };

	empty(): void {
		this.messages.length = 0;
		this.isDown = false;
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

	readonly answer: App = ({ method, path, body }) => {
		if (method !== 'POST' || path !== '/api/chat.postMessage') return undefined;
		if (this.isDown) return { status: 500 };
		const message = JSON.parse(body.toString()) as Message;
		const ts = String(this.messages.push(message));
		return { body: { ok: true, channel: message.channel, ts, message } };
	};
}
