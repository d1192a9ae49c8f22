import { writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import fastify from 'fastify';
import { generate } from 'selfsigned';
import type { N8nClient } from '../../../scripts/n8n/N8nClient';
import type { Credential } from '../../../scripts/n8n/n8nTypes';
import { E2E_FOLDER } from '../../support/e2e/PLACES';
import { WITHOUT_EDITOR } from '../../support/e2e/RealN8n';
import { CHOICES } from '../../support/e2e/setUpExample';

type Json = Record<string, unknown>;

/** A message to Slack, or a question with buttons. */
interface Message {
	text?: string;
	blocks?: {
		text?: { text: string };
		elements?: { text: { text: string }; url: string }[];
	}[];
}

/** What Google Sheets, Google Drive, YouTube and Slack know. */
class Apps {
	/** The sheet, whose columns are in this order. */
	columns: string[] = [];
	rows: Json[] = [];
	/** The files that each app has received, with what was sent beside them. */
	files: Record<'drive' | 'youtube' | 'slack', Json[]> = { drive: [], youtube: [], slack: [] };
	/** The number of uploads that Google still accepts. */
	uploadsLeft = Infinity;
	/** The texts of the messages in Slack. */
	texts: string[] = [];
	/** The links behind the buttons in Slack. */
	links: Record<string, string> = {};
	/** The requests that no app knows. */
	unknown: string[] = [];

	/** Changes cells of the row with this ID, as a person does. */
	changeRow(id: string, values: Json): void {
		this.rows = this.rows.map((row) => (row.id === id ? { ...row, ...values } : row));
	}
}

/** Creates the server of all apps, with what n8n's own nodes request of them. */
function createServer(apps: Apps, certificate: { cert: string; key: string }) {
	const server = fastify({ https: certificate });
	/** The file that is being uploaded. */
	let file: Json = {};
	// What is not JSON is the content of a file.
	server.addContentTypeParser('*', { parseAs: 'buffer' }, (_request, body, done) => {
		done(null, body);
	});
	server.setNotFoundHandler(({ method, url }) => {
		apps.unknown.push(`${method} ${url}`);
		return {};
	});

	const sheet = '/v4/spreadsheets/document';
	const properties = { sheetId: 1, title: CHOICES.sheetName.value, index: 0 };
	server.get(sheet, () => ({ sheets: [{ properties }] }));
	server.get(`${sheet}/values/:range`, () => {
		const cells = apps.rows.map((row) => apps.columns.map((name) => row[name] ?? ''));
		return { values: [apps.columns, ...cells] };
	});
	// As typed input, an ID of digits would become a number, and a text with "=" a formula.
	const schema = { body: { type: 'object', properties: { valueInputOption: { const: 'RAW' } } } };
	server.post(`${sheet}/values::batchUpdate`, { schema }, ({ body }) => {
		const { data } = body as { data: { range: string; values: unknown[][] }[] };
		for (const { range, values } of data) {
			const [, column = '', row] = /!([A-Z])(\d+)$/.exec(range) ?? [];
			const name = apps.columns['ABCDEFGH'.indexOf(column)] ?? '';
			const index = Number(row) - 2;
			apps.rows[index] = { ...apps.rows[index], [name]: values[0]?.[0] };
		}
		return {};
	});

	// Google takes the content of a file at an address that it returns for what belongs to it.
	server.post<{ Body: Json }>('/upload/:app/v3/:kind', ({ url, body }, reply) => {
		if (apps.uploadsLeft-- <= 0) return reply.code(403).send({});
		file = body;
		return reply.header('Location', `https://www.googleapis.com${url}`).send({});
	});
	server.put<{ Params: { app: 'drive' | 'youtube' } }>('/upload/:app/v3/:kind', (request) => {
		const files = apps.files[request.params.app];
		return { id: String(files.push({ ...file, content: request.body })) };
	});
	server.patch<{ Params: { id: string }; Body: Json }>('/drive/v3/files/:id', (request) => {
		const webViewLink = `https://drive.google.com/file/d/${request.params.id}/view`;
		return { ...request.body, webViewLink };
	});

	server.post<{ Body: Message }>('/api/chat.postMessage', ({ body: { text, blocks = [] } }) => {
		apps.texts.push(text ?? blocks.map((block) => block.text?.text).join(''));
		const buttons = blocks.flatMap(({ elements = [] }) => elements);
		for (const button of buttons) apps.links[button.text.text] = button.url;
		return { ok: true };
	});
	const upload = { upload_url: 'https://files.slack.com/upload', file_id: 'F01' };
	server.get('/api/files.getUploadURLExternal', () => ({ ok: true, ...upload }));
	server.post<{ Body: Buffer }>('/upload', ({ body }) => {
		// The file is the only part of a form.
		file = { content: body.subarray(body.indexOf('\r\n\r\n') + 4, body.lastIndexOf('\r\n--')) };
		return {};
	});
	server.post<{ Body: Json }>('/api/files.completeUploadExternal', ({ body }) => {
		apps.files.slack.push({ ...file, ...body });
		return { ok: true, files: body.files };
	});
	return server;
}

/**
 * Provides the apps to n8n's own nodes, which are the real ones: their requests go through a proxy that answers
 * them, and nothing leaves the machine. Call it before `useRealN8n`, and start that n8n with the `environment`.
 */
export function useApps() {
	const apps = new Apps();
	const trusted = join(E2E_FOLDER, 'apps.pem');
	const environment = { ...WITHOUT_EDITOR, NODE_EXTRA_CA_CERTS: trusted, HTTPS_PROXY: '' };
	const proxy = http.createServer();
	beforeAll(async () => {
		// The certificate is that of the apps alone, so other hosts are out of reach.
		const hosts = ['*.googleapis.com', 'slack.com', '*.slack.com'];
		const altNames = hosts.map((value) => ({ type: 2, value }) as const);
		const { cert, private: key } = await generate([{ name: 'commonName', value: 'Apps' }], {
			extensions: [{ name: 'subjectAltName', altNames }],
		});
		writeFileSync(trusted, cert);
		const app = createServer(apps, { cert, key });
		await app.ready();
		proxy.on('connect', (_request, socket) => {
			socket.on('error', () => socket.destroy());
			socket.write('HTTP/1.1 200 Connection Established\r\n\r\n');
			app.server.emit('connection', socket);
		});
		await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve));
		environment.HTTPS_PROXY = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`;
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

/** What opens the apps, and the server for MCP clients. */
export const TOKEN = 'a-long-random-token';

/** Creates the credentials of the apps and of MCP clients. */
export async function connectApps(client: N8nClient): Promise<Credential[]> {
	const oauthTokenData = { access_token: TOKEN, token_type: 'Bearer' };
	const data = { token: TOKEN, accessToken: TOKEN, oauthTokenData };
	const google = ['googleSheets', 'googleDrive', 'youTube'].map((app) => `${app}OAuth2Api`);
	const create = async (type: string) => await client.createCredential({ name: type, type, data });
	return await Promise.all([...google, 'slackApi', 'httpBearerAuth'].map(create));
}
