import {
	selectors,
	type Browser,
	type BrowserContext,
	type Locator,
	type Page,
} from 'playwright-core';
import type { Owner } from '../n8n/owner';
import { NodePanel } from './NodePanel';
import { NodesPanel } from './NodesPanel';

/** The cookies and the storage of a login. */
export type Session = Awaited<ReturnType<BrowserContext['storageState']>>;

interface EditorOptions {
	theme?: 'light' | 'dark';
	width?: number;
	height?: number;
	/** The number of pixels of a picture for each pixel of the page. */
	scale?: number;
	/** The login of an earlier window: n8n accepts only five logins a minute. */
	session?: Session | undefined;
}

const TIMEOUT_MS = 30_000;

const CANVAS = '.vue-flow__transformationpane';
const FIRST_NOTE = '[data-id="note-what-this-does"]';
const MARGIN_PX = 24;

/** To draw what moves in n8n takes a sixth of the browser's time. */
const STAND_STILL = `addEventListener('DOMContentLoaded', () => {
	const style = document.createElement('style');
	style.textContent = '*, ::before, ::after { animation: none !important; transition: none !important; }';
	document.head.append(style);
});`;

/** A part of the page, in its pixels. */
export interface Area {
	x: number;
	y: number;
	width: number;
	height: number;
}

/** n8n's editor in a browser window, used as a person uses it. */
export class Editor {
	readonly nodesPanel: NodesPanel;
	readonly nodePanel: NodePanel;

	/** Whether a path was opened since the login. */
	private isSettled = false;

	private constructor(
		readonly page: Page,
		private readonly address: string,
	) {
		this.nodesPanel = new NodesPanel(page);
		this.nodePanel = new NodePanel(page);
	}

	/** Opens a window that shares nothing with other windows. */
	static async open(
		browser: Browser,
		address: string,
		{ theme = 'light', width = 1280, height = 800, scale = 1, session }: EditorOptions = {},
	): Promise<Editor> {
		selectors.setTestIdAttribute('data-test-id');
		const context = await browser.newContext({
			viewport: { width, height },
			deviceScaleFactor: scale,
			colorScheme: theme,
			reducedMotion: 'reduce',
			locale: 'en-US',
			timezoneId: 'UTC',
			...(session && { storageState: session }),
		});
		context.setDefaultTimeout(TIMEOUT_MS);
		await context.addInitScript(STAND_STILL);
		return new Editor(await context.newPage(), address);
	}

	/** @returns the login, for further windows */
	async logIn({ email, password }: Owner): Promise<Session> {
		const { page } = this;
		await page.goto(`${this.address}/signin`);
		await page.getByLabel('Email').fill(email);
		await page.getByLabel('Password').fill(password);
		await page.getByRole('button', { name: 'Sign in' }).click();
		await page.waitForURL((url) => !url.pathname.startsWith('/signin'));
		return await page.context().storageState();
	}

	async newWorkflow(): Promise<void> {
		await this.page.goto(`${this.address}/workflow/new`);
		await this.page.getByTestId('canvas-add-button').waitFor();
	}

	async openWorkflow(id: string): Promise<void> {
		await this.visit(`/workflow/${id}`);
		const empty = this.page.getByTestId('canvas-add-button');
		await this.page.getByTestId('canvas-node').or(empty).first().waitFor();
	}

	/**
	 * Opens a path within the editor, which takes a browser seconds to load. The first time, it is loaded anew:
	 * after a login, n8n may still be on the way to its first page.
	 */
	async visit(path: string): Promise<void> {
		const { page, address, isSettled } = this;
		this.isSettled = true;
		if (!isSettled) await page.goto(address + path);
		else {
			await page.evaluate(
				`history.pushState({}, '', '${path}'); dispatchEvent(new PopStateEvent('popstate'))`,
			);
		}
	}

	/** Loads the next path anew, without what is open or was changed. */
	leave(): void {
		this.isSettled = false;
	}

	/** Finds a node on the canvas. */
	node(name: string): Locator {
		return this.page.locator(`[data-test-id="canvas-node"][data-node-name="${name}"]`);
	}

	async openNode(name: string): Promise<NodePanel> {
		await this.node(name).dblclick();
		await this.nodePanel.root.waitFor();
		return this.nodePanel;
	}

	/** Runs the whole workflow, and waits until every one of the nodes has succeeded. */
	async executeWorkflow(nodeNames: string[]): Promise<void> {
		await this.page.getByTestId('execute-workflow-button').first().click();
		for (const name of nodeNames) {
			await this.node(name).getByTestId('canvas-node-status-success').waitFor();
		}
	}

	/**
	 * Shows all nodes and notes of the workflow but its first note at the canvas's upper left corner.
	 *
	 * @param maxWidth in pixels: a wider workflow is drawn smaller
	 * @returns where they are shown
	 */
	async showWorkflow(maxWidth: number): Promise<Area> {
		const move = async (transform: string) => {
			const content = `${FIRST_NOTE} { display: none; } ${CANVAS} { transform: ${transform} !important; }`;
			await this.page.addStyleTag({ content });
		};
		// n8n's shortcut for a zoom of 100 %: n8n enlarges texts at a smaller zoom.
		await this.page.keyboard.press('0');
		await move('none');
		const nodes = this.page.locator('.vue-flow__node, .vue-flow__node *');
		const box = await nodes.filter({ visible: true }).evaluateAll((elements) => {
			const boxes = elements.map((element) => element.getBoundingClientRect());
			const x = Math.min(...boxes.map(({ left }) => left));
			const y = Math.min(...boxes.map(({ top }) => top));
			const right = Math.max(...boxes.map((each) => each.right));
			const bottom = Math.max(...boxes.map((each) => each.bottom));
			return { x, y, width: right - x, height: bottom - y };
		});
		const { x, y } = await this.locate(this.page.getByTestId('canvas-wrapper'));
		const [width, height] = [box.width + 2 * MARGIN_PX, box.height + 2 * MARGIN_PX];
		const scale = Math.min(1, maxWidth / width);
		await move(`scale(${scale}) translate(${x + MARGIN_PX - box.x}px, ${y + MARGIN_PX - box.y}px)`);
		return { x, y, width: width * scale, height: height * scale };
	}

	/** Returns the position and size of a part of the page. */
	async locate(part: Locator): Promise<Area> {
		const box = await part.boundingBox();
		if (!box) throw new Error(`It is not shown: ${String(part)}`);
		return box;
	}

	/** Replaces texts and the content of fields in the page. */
	async replaceTexts(pattern: RegExp, text: string): Promise<void> {
		await this.page.evaluate(`{
			const replace = (old) => old.replace(${String(pattern)}, ${JSON.stringify(text)});
			for (const field of document.querySelectorAll('input')) field.value = replace(field.value);
			const texts = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
			while (texts.nextNode()) texts.currentNode.data = replace(texts.currentNode.data);
		}`);
	}

	/** Takes a picture of an area as PNG, without messages, tooltips and frames. */
	async picture(clip: Area): Promise<Buffer> {
		await this.closeToasts();
		await this.page.mouse.move(0, 0);
		return await this.page.screenshot({ animations: 'disabled', style: WITHOUT_FRAME, clip });
	}

	/** Returns a picture, and below it a row with a frame of each video, in place of the editor. */
	async pictureWithVideos(picture: Buffer, addresses: string[]): Promise<Buffer> {
		const videos = addresses.map((url) => `<video src="${url}#t=1" preload="auto" muted></video>`);
		await this.page.setContent(`<style>${FILM_STRIP}</style><main>
			<img src="data:image/png;base64,${picture.toString('base64')}"><div>${videos.join('')}</div>
		</main>`);
		await this.page.waitForFunction(
			`[...document.querySelectorAll('video')].every((video) => video.readyState > 2 && !video.seeking)`,
		);
		return await this.page.locator('main').screenshot();
	}

	/** Closes the messages in the corner, one after the other. */
	async closeToasts(): Promise<void> {
		const close = this.page.locator('.el-notification__closeBtn');
		while (await close.first().isVisible()) {
			await close.first().click();
			await this.page.locator('.el-notification').last().waitFor({ state: 'hidden' });
		}
	}
}

/** How a picture and the frames below it are laid out, on the colour of n8n's panels. */
const FILM_STRIP = `
	body { margin: 0; }
	main { width: 760px; background: light-dark(#f5f5f5, #262626); color-scheme: light dark; }
	img { display: block; width: 100%; }
	div { display: flex; gap: 8px; padding: 0 12px 14px; }
	video { width: 0; flex: 1; border-radius: 4px; }
`;

/**
 * What lies behind a window shows at its corners, neighbours reach into it, bars lie over the canvas.
 * The nodes of other services have no credential here, of which n8n warns.
 */
const WITHOUT_FRAME = `
	[data-test-id="ndv"], [data-test-id="ndv"] > *, [role="dialog"] {
		border: 0 !important;
		border-radius: 0 !important;
	}
	[data-test-id="floating-nodes"], [data-test-id="floating-node"], .el-popper, [role="tooltip"],
	[data-reka-popper-content-wrapper] { display: none !important; }
	[data-test-id="node-issues"], [data-test-id="canvas-controls"], [class*="_executionButtons_"],
	[data-test-id="add-sticky-button"], [data-test-id="toggle-focus-panel-button"],
	[data-test-id="instance-ai-canvas-action-button"], [data-test-id="node-creator-plus-button"],
	[data-test-id="command-bar-button"],
	*:has([data-test-id="command-bar-button"]):not(:has([data-test-id="canvas"])),
	*:has([data-test-id="radio-button-executions"]):not(:has([data-test-id="canvas"])) {
		visibility: hidden !important;
	}
`;
