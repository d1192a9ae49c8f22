import {
	cpSync,
	mkdirSync,
	readdirSync,
	readFileSync,
	rmSync,
	symlinkSync,
	writeFileSync,
} from 'node:fs';
import { join, resolve } from 'node:path';
import { findPort } from '../support/e2e/findPort';
import { Editor } from '../../scripts/editor/Editor';
import { launchBrowser } from '../../scripts/editor/launchBrowser';
import { N8nClient, OWNER } from '../../scripts/n8n/N8nClient';
import type { Workflow } from '../../scripts/n8n/n8nTypes';
import { waitFor } from '../../scripts/waitFor';
import { describeWith } from '../support/e2e/describeWith';
import { E2E_FOLDER } from '../support/e2e/PLACES';
import { ServerProcess } from '../support/e2e/ServerProcess';

/** A folder whose path contains spaces and a special character. */
const COPY = join(E2E_FOLDER, 'dev', 'A copy with spaces and an ümlaut');
const LOG = join(E2E_FOLDER, 'dev', 'dev.log');
const SOURCES = ['nodes', 'credentials', 'icons', 'sandbox', 'scripts', 'examples', 'gulpfile.js'];
const SETTINGS = ['package.json', 'package-lock.json', 'tsconfig.json', 'tsconfig.build.json'];
/** A label in the sources. */
const LABEL = 'Wait for Completion';
const START_TIMEOUT_MS = 240_000;

function copyProject(): void {
	rmSync(join(E2E_FOLDER, 'dev'), { recursive: true, force: true });
	mkdirSync(COPY, { recursive: true });
	for (const name of [...SOURCES, ...SETTINGS]) {
		cpSync(name, join(COPY, name), { recursive: true });
	}
	symlinkSync(resolve('node_modules'), join(COPY, 'node_modules'), 'junction');
}

/** Changes a label in the source file that contains it, wherever the file is. */
function changeLabel(from: string, to: string): void {
	const nodes = join(COPY, 'nodes');
	const files = readdirSync(nodes, { recursive: true, encoding: 'utf8' });
	for (const file of files.filter((name) => name.endsWith('.ts'))) {
		const source = readFileSync(join(nodes, file), 'utf8');
		const changed = source.replace(`displayName: '${from}'`, `displayName: '${to}'`);
		if (changed !== source) writeFileSync(join(nodes, file), changed);
	}
}

describeWith(['chromium'], 'npm run dev', () => {
	let server: ServerProcess;
	let client: N8nClient;

	beforeAll(async () => {
		copyProject();
		const [port, sandboxPort] = [await findPort(), await findPort()];
		const args = ['--port', String(port), '--sandbox-port', String(sandboxPort)];
		server = new ServerProcess({
			file: process.execPath,
			args: [join(COPY, 'scripts', 'run.mjs'), 'dev', ...args],
			cwd: COPY,
			env: process.env,
			logFile: LOG,
			stopSignal: 'SIGINT',
		});
		const isReady = () => readFileSync(LOG, 'utf8').includes('Press Ctrl+C to stop.');
		await waitFor('npm run dev to be ready', isReady, START_TIMEOUT_MS);
		client = new N8nClient(`http://127.0.0.1:${port}`);
		await client.logIn(OWNER);
	});

	afterAll(async () => {
		await server.stop();
	});

	test('shows a changed text in the open editor', async () => {
		const workflows = await client.request<Workflow[]>('GET', '/workflows');
		const { id = '' } = workflows.find(({ name }) => name === 'Make a video and download it') ?? {};
		const browser = await launchBrowser();
		try {
			const editor = await Editor.open(browser, client.address);
			await editor.logIn(OWNER);
			await editor.openWorkflow(id);
			const panel = await editor.openNode('Make and download a video');
			await panel.waitForLabel(LABEL);
			changeLabel(LABEL, 'Changed while n8n runs');
			await panel.waitForLabel('Changed while n8n runs');
		} finally {
			await browser.close();
		}
	});

	test('ends everything at a Ctrl+C', async () => {
		await server.stop();
		expect(readFileSync(LOG, 'utf8')).toContain('Everything is stopped.');
		await expect(client.logIn(OWNER)).rejects.toThrow('ECONNREFUSED');
	});
});
