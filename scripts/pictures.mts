import { readdirSync } from 'node:fs';
import { mkdir, rm, writeFile } from 'node:fs/promises';
import { basename, join, resolve } from 'node:path';
import { startSandbox } from '../sandbox/startSandbox.js';
import { build } from './build.mjs';
import { type Area, Editor, type Session } from './editor/Editor.js';
import { launchBrowser } from './editor/launchBrowser.js';
import { choosePorts, furnishN8n, startN8n } from './n8n/demo.mjs';
import { installN8n, installPackage } from './n8n/install.mjs';
import type { Workflow } from './n8n/n8nTypes.js';
import { takeFirstMinute } from './pictures/firstMinute.js';
import { step } from './support/command.mjs';

const STAGE_FOLDER = resolve('.n8n-local', 'pictures');
const TARGET_FOLDER = resolve('docs', 'pictures');
/** This port is visible in the pictures, so it is always the same. */
const SANDBOX_PORT = 4010;
/** The last folder has a workflow made for the pictures: one node with all its parameters set. */
const WORKFLOW_FOLDERS = ['examples', join('scripts', 'demo'), join('scripts', 'pictures')];

/** The workflows by their file's name. */
type Workflows = Map<string, Workflow>;

interface Picture {
	name: string;
	/** The type of its file, PNG unless it moves. */
	type?: 'webp';
	/** The size of the browser window. */
	width: number;
	height: number;
	take: (editor: Editor, workflows: Workflows) => Promise<Buffer>;
}

/** Pixels of a picture for each pixel of the window. */
const SCALE = 2;

const STICKY_NOTE = 'n8n-nodes-base.stickyNote';
/** In a wider picture, a page would show n8n's small texts too small to read. */
const MAX_WIDTH_PX = 905;

/** The lowest part of a panel, which shows what is behind its corners. */
const ROUNDED_CORNER_PX = 10;

/** Five videos of one project, each with the time until it is listed. */
const BATCH_TIMEOUT_MS = 180_000;

/** All pictures of `docs/pictures`. `test/structure/documents.test.ts` requires that a page shows each. */
const PICTURES: Picture[] = [
	{ name: 'first-minute', type: 'webp', width: 1180, height: 664, take: takeFirstMinute },
	{ name: 'batch', width: 1900, height: 370, take: takeBatch },
	{ name: 'node', width: 1400, height: 760, take: takeNode },
	{ name: 'run', width: 1280, height: 900, take: takeRun },
	...readdirSync('examples')
		.filter((file) => file.endsWith('.json'))
		.map(ofExample),
];

/** Returns the picture of an example, before anything is set up. */
function ofExample(file: string): Picture {
	const example = basename(file, '.json');
	const take = async (editor: Editor, workflows: Workflows) => {
		await editor.openWorkflow(getWorkflow(workflows, example).id);
		return await takePicture(editor, await editor.showWorkflow(MAX_WIDTH_PX));
	};
	return { name: `example-${example}`, width: 1300, height: 1300, take };
}

/** Takes a picture of five rows, and below it a picture of each one's video. */
async function takeBatch(editor: Editor, workflows: Workflows): Promise<Buffer> {
	await editor.openWorkflow(getWorkflow(workflows, 'five-rows').id);
	const panel = await editor.openNode('Each row with its video');
	await panel.execute();
	await panel.waitForSuccess(BATCH_TIMEOUT_MS);
	const { rows } = await panel.readTable();
	const { height, ...area } = await editor.locate(panel.output);
	const table = await takePicture(editor, { ...area, height: height - ROUNDED_CORNER_PX });
	await panel.close();
	await editor.openNode('Generate a video for each row');
	const videos: string[] = [];
	for (const item of rows.keys()) {
		const video = await panel.viewVideo(item);
		videos.push((await video.read()).address);
		await panel.closeVideo();
	}
	return await editor.pictureWithVideos(table, videos);
}

/** Takes a picture of the node with its parameters beside the fields of its input. */
async function takeNode(editor: Editor, workflows: Workflows): Promise<Buffer> {
	await editor.openWorkflow(getWorkflow(workflows, 'make-a-video').id);
	const panel = await editor.openNode('Generate a video');
	await panel.execute();
	await panel.readTable();
	const { x, y, height } = await editor.locate(panel.root);
	const output = await editor.locate(panel.output);
	return await takePicture(editor, { x, y, width: output.x - x, height });
}

/** Takes a picture of the first example after a run. */
async function takeRun(editor: Editor, workflows: Workflows): Promise<Buffer> {
	const workflow = getWorkflow(workflows, 'queue-a-video');
	await editor.openWorkflow(workflow.id);
	await editor.executeWorkflow(
		workflow.nodes.filter(({ type }) => type !== STICKY_NOTE).map(({ name }) => name),
	);
	return await takePicture(editor, await editor.showWorkflow(MAX_WIDTH_PX));
}

/** Replaces the local address, because the reader's service has another one. */
async function takePicture(editor: Editor, clip: Area): Promise<Buffer> {
	await editor.replaceTexts(/https?:\/\/localhost:\d+/g, 'https://api.example.com');
	return await editor.picture(clip);
}

function getWorkflow(workflows: Workflows, file: string): Workflow {
	const workflow = workflows.get(file);
	if (!workflow) throw new Error(`There is no workflow ${file}.json to take a picture of.`);
	return workflow;
}

/**
 * `npm run pictures`: takes the pictures of `docs/pictures` again, light and dark, in a new n8n
 * with the packed package. The arguments are the names of the pictures; the default is all of them.
 */
export default async function makePictures(names: string[]): Promise<void> {
	const unknown = names.find((name) => !PICTURES.some((picture) => picture.name === name));
	if (unknown !== undefined) throw new Error(`There is no picture "${unknown}".`);
	const browser = await launchBrowser();
	await build();
	await rm(STAGE_FOLDER, { recursive: true, force: true });
	await mkdir(TARGET_FOLDER, { recursive: true });
	const installation = await installN8n();
	await step('Installing the package into a new n8n', () =>
		installPackage(STAGE_FOLDER, join(STAGE_FOLDER, 'package')),
	);
	const ports = await choosePorts();
	const client = await startN8n({ installation, userFolder: STAGE_FOLDER, ports });
	const durations = { pendingMs: 500, processingMs: 500, renderingMs: 500 };
	const sandbox = await startSandbox({
		port: SANDBOX_PORT,
		clock: 'real',
		rateLimit: false,
		durations,
		promptInVideos: true,
	});
	try {
		const { apiKey, url } = sandbox;
		const account = {
			name: 'Video Generation account',
			apiKey,
			url: url.replace('127.0.0.1', 'localhost'),
		};
		const workflows = await furnishN8n(client, account, WORKFLOW_FOLDERS);
		let session: Session | undefined;
		for (const theme of ['light', 'dark'] as const) {
			for (const { name, type = 'png', take, ...window } of PICTURES) {
				if (names.length > 0 && !names.includes(name)) continue;
				await step(`Taking ${name}, ${theme}`, async () => {
					const editor = await Editor.open(browser, client.address, {
						theme,
						...window,
						scale: SCALE,
						session,
					});
					session ??= await editor.logIn(client.owner);
					const file = join(TARGET_FOLDER, `${name}-${theme}.${type}`);
					await writeFile(file, await take(editor, workflows));
					await editor.page.close();
				});
			}
		}
	} finally {
		await browser.close();
		await sandbox.close();
	}
}
