import { writeFileSync } from 'node:fs';
import http from 'node:http';
import https from 'node:https';
import type { AddressInfo, Socket } from 'node:net';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { generate } from 'selfsigned';
import type { N8nClient } from '../../../scripts/n8n/N8nClient';
import type { Credential } from '../../../scripts/n8n/n8nTypes';
import { E2E_FOLDER } from '../../support/e2e/PLACES';
import { WITHOUT_EDITOR } from '../../support/e2e/RealN8n';
import { CHOICES } from '../../support/e2e/setUpExample';

type Json = Record<string, unknown>;

/** A file that an app has received, with what was sent beside it. */
interface Upload {
	metadata: Json;
	content: Buffer;
}

/** A message in Slack, with what it asks. */
interface Message {
	text?: string;
	blocks?: {
		text?: { text: string };
		elements?: { text: { text: string }; url: string }[];
	}[];
}

interface Reply {
	status?: number;
	headers?: Record<string, string>;
	body?: unknown;
}

/** What Google Sheets, Google Drive, YouTube and Slack know, and what they answer to n8n's own nodes. */
class Apps {
	/** The names of the sheet's columns, and its rows as a person reads and changes them. */
	names: string[] = [];
	rows: Json[] = [];
	/** The input options of all writes: whether values are stored as they are, or as if typed in. */
	inputOptions = new Set<unknown>();
	drive: Upload[] = [];
	youTube: Upload[] = [];
	/** The number of uploads that Google still accepts. */
	uploadsLeft = Infinity;
	messages: Message[] = [];
	slackFiles: Upload[] = [];
	/** The requests that no app knows. */
	unknown: string[] = [];
	/** The upload that has begun. */
	private upload: Upload = { metadata: {}, content: Buffer.alloc(0) };

	/** Fills the sheet, whose first row has the names of the columns. */
	fillSheet([names = [], ...rows]: string[][]): void {
		this.names = names;
		this.rows = rows.map((cells) =>
			Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])),
		);
	}

	/** Changes cells of the row with this ID, as a person does. */
	changeRow(id: string, values: Json): void {
		Object.assign(this.rows.find((row) => row.id === id) ?? {}, values);
	}

	/** The texts of the messages in Slack. */
	get texts(): string[] {
		return this.messages.map(({ text = '', blocks = [] }) =>
			[text, ...blocks.map((block) => block.text?.text.trim() ?? '')].filter(Boolean).join('\n'),
		);
	}

	/** Returns the link behind a button of the last message in Slack. */
	getLink(label: string): string {
		const elements = this.messages.at(-1)?.blocks?.flatMap(({ elements = [] }) => elements) ?? [];
		return elements.find(({ text }) => text.text === label)?.url ?? '';
	}

	/** @param address host and path of the request */
	answer(method: string, address: string, content: Buffer): Reply {
		const json = () => JSON.parse(content.toString()) as Json;
		const [, inSheet] =
			/^sheets\.googleapis\.com\/v4\/spreadsheets\/document(.*)/.exec(address) ?? [];
		if (inSheet !== undefined) return { body: this.answerSheet(inSheet, json) };
		const [, inSlack] = /^slack\.com\/api\/(.+)/.exec(address) ?? [];
		if (inSlack) return { body: { ok: true, ...this.answerSlack(inSlack, json) } };
		const [, id] = /^www\.googleapis\.com\/drive\/v3\/files\/(\d+)$/.exec(address) ?? [];
		if (id) {
			const webViewLink = `https://drive.google.com/file/d/${id}/view`;
			return { body: { ...this.drive.at(-1)?.metadata, id, webViewLink } };
		}
		if (address.startsWith('files.slack.com/')) this.upload.content = content;
		else if (!address.startsWith('www.googleapis.com/upload/')) this.unknown.push(address);
		else if (method === 'POST' && this.uploadsLeft-- <= 0) {
			return { status: 403, body: { error: { message: 'No room is left' } } };
		} else if (method === 'POST') {
			this.upload.metadata = json();
			return { headers: { Location: `https://${address}/1` } };
		} else {
			// The content comes after the metadata. It is smaller than n8n's chunks.
			const files = address.includes('/drive/') ? this.drive : this.youTube;
			return { body: { id: String(files.push({ ...this.upload, content })) } };
		}
		return {};
	}

	private answerSheet(path: string, json: () => Json): Json {
		if (path === '')
			return { sheets: [{ properties: { sheetId: 1, title: CHOICES.sheetName.value, index: 0 } }] };
		if (path !== '/values:batchUpdate') {
			const cells = this.rows.map((row) => this.names.map((name) => row[name] ?? ''));
			return { values: [this.names, ...cells] };
		}
		const { data, valueInputOption } = json();
		this.inputOptions.add(valueInputOption);
		for (const { range, values } of data as { range: string; values: unknown[][] }[]) {
			const [, column = '', row] = /!([A-Z])(\d+)$/.exec(range) ?? [];
			const name = this.names[column.charCodeAt(0) - 'A'.charCodeAt(0)] ?? '';
			Object.assign(this.rows[Number(row) - 2] ?? {}, { [name]: values[0]?.[0] });
		}
		return {};
	}

	private answerSlack(method: string, json: () => Json): Json {
		if (method === 'chat.postMessage') {
			return { channel: json().channel, ts: String(this.messages.push(json())) };
		}
		if (method === 'files.getUploadURLExternal') {
			return { upload_url: 'https://files.slack.com/upload/v1/F01', file_id: 'F01' };
		}
		this.slackFiles.push({ ...this.upload, metadata: json() });
		return { files: json().files };
	}
}

/**
 * Provides the apps to n8n's own nodes, which are the real ones: their requests go through a proxy that answers
 * them, and nothing leaves the machine. Call it before `useRealN8n`, and start that n8n with the `environment`.
 */
export function useApps() {
	const apps = new Apps();
	const environment: Record<string, string> = { ...WITHOUT_EDITOR };
	const proxy = http.createServer();
	beforeAll(async () => {
		const names = ['*.googleapis.com', 'slack.com', '*.slack.com'];
		const { cert, private: key } = await generate([{ name: 'commonName', value: 'Apps' }], {
			keySize: 2048,
			extensions: [
				{ name: 'basicConstraints', cA: true },
				{ name: 'subjectAltName', altNames: names.map((value) => ({ type: 2, value })) },
			],
		});
		const server = https.createServer({ cert, key }, (request, response) => {
			const { host, pathname } = new URL(request.url ?? '', `https://${request.headers.host}`);
			void buffer(request).then((content) => {
				const address = host + decodeURIComponent(pathname);
				const {
					status = 200,
					headers,
					body = {},
				} = apps.answer(request.method ?? '', address, content);
				response.writeHead(status, { 'Content-Type': 'application/json', ...headers });
				response.end(JSON.stringify(body));
			});
		});
		// The certificate is that of the apps alone, so other hosts are out of reach.
		proxy.on('connect', (_request, socket: Socket) => {
			socket.on('error', () => socket.destroy());
			socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
			server.emit('connection', socket);
		});
		await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
		const certificate = join(E2E_FOLDER, 'apps.pem');
		writeFileSync(certificate, cert);
		Object.assign(environment, {
			HTTPS_PROXY: `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`,
			NO_PROXY: '127.0.0.1,localhost',
			NODE_EXTRA_CA_CERTS: certificate,
		});
	});
	beforeEach(() => {
		Object.assign(apps, new Apps());
	});
	afterEach(() => {
		expect(apps.unknown).toEqual([]);
	});
	afterAll(() => {
		proxy.close();
	});
	return { environment, apps };
}

/** Creates the credentials of the apps. */
export async function connectApps(client: N8nClient): Promise<Credential[]> {
	const token = {
		clientId: 'client',
		clientSecret: 'none',
		customScopes: false,
		oauthTokenData: { access_token: 'token', token_type: 'Bearer' },
	};
	const data = {
		googleSheetsOAuth2Api: token,
		googleDriveOAuth2Api: token,
		youTubeOAuth2Api: token,
		slackApi: { accessToken: 'none' },
	};
	return await Promise.all(
		Object.entries(data).map(
			async ([type, content]) => await client.createCredential({ name: type, type, data: content }),
		),
	);
}
