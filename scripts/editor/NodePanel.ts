import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../waitFor';

/** The panel of one node: its input, parameters and output. */
export class NodePanel {
	readonly root: Locator;
	readonly input: Locator;
	readonly output: Locator;
	readonly parameters: Locator;

	constructor(private readonly page: Page) {
		this.root = page.getByTestId('ndv');
		this.input = page.getByTestId('ndv-input-panel');
		this.output = page.getByTestId('output-panel');
		this.parameters = page.getByTestId('node-parameters');
	}

	/** Returns the control of a parameter. */
	parameter(name: string): Locator {
		return this.parameters.getByTestId(`parameter-input-${name}`);
	}

	/** Returns the labels of all displayed parameters, from top to bottom. */
	async readLabels(): Promise<string[]> {
		return await readLabels(this.parameters);
	}

	/** Waits until a parameter appears or vanishes. */
	async waitForLabel(label: string, state: 'visible' | 'hidden' = 'visible'): Promise<void> {
		await this.parameters.locator('label').getByText(label, { exact: true }).waitFor({ state });
	}

	/** Returns the name of the chosen credential. */
	async readCredential(): Promise<string> {
		const select = this.parameters.getByTestId('node-credentials-select');
		return await select.locator('input').inputValue();
	}

	/** Waits until a parameter has the mark of a missing value. */
	async waitForIssue(name: string): Promise<void> {
		const item = this.parameters
			.getByTestId('parameter-item')
			.filter({ has: this.page.getByTestId(`parameter-input-${name}`) });
		await item.getByTestId('parameter-issues').waitFor();
	}

	/** Chooses an entry of a dropdown. */
	async select(name: string, option: string): Promise<void> {
		await this.parameter(name).click();
		const options = this.page.getByTestId('parameter-input-item').filter({ visible: true });
		await options.getByText(option, { exact: true }).click();
		await options.first().waitFor({ state: 'hidden' });
	}

	async toggle(name: string): Promise<void> {
		await this.parameter(name).locator('.el-switch').click();
	}

	/** Opens a list that can be searched by name. @returns its names */
	async openList(name: string): Promise<string[]> {
		await this.page.getByTestId(`resource-locator-${name}`).getByTestId('rlc-input').click();
		await this.entries.first().waitFor();
		return await this.entries.allInnerTexts();
	}

	/** Types into the search field of the open list. @returns the remaining names */
	async searchList(text: string, expected: string): Promise<string[]> {
		await this.page.getByTestId('rlc-search').fill(text);
		await this.entries.filter({ hasNotText: expected }).first().waitFor({ state: 'hidden' });
		await this.entries.filter({ hasText: expected }).waitFor();
		return await this.entries.allInnerTexts();
	}

	async pickFromList(name: string): Promise<void> {
		await this.entries.getByText(name, { exact: true }).click();
	}

	/** Presses the node's button. When the run starts, n8n removes the output of an earlier run. */
	async execute(): Promise<void> {
		await this.page.getByTestId('node-execute-button').click();
	}

	/**
	 * Presses the node's button, and waits until n8n has answered that the run begins: any output is then
	 * not that of an earlier run, and another run may follow.
	 */
	async beginRun(): Promise<void> {
		const begun = this.page.waitForResponse(/\/workflows\/[^/]+\/run/);
		await this.execute();
		await begun;
	}

	/** Presses the trigger's button in place of the input. During a run, the same button stops n8n. */
	async fetchTestEvent(): Promise<void> {
		const button = this.page.getByTestId('trigger-execute-button');
		await button.filter({ hasText: 'Fetch Test Event' }).click();
	}

	/** @param timeout in milliseconds; by default, that of the page */
	async waitForSuccess(timeout?: number): Promise<void> {
		await this.output.getByTestId('node-run-status-success').waitFor(timeout ? { timeout } : {});
	}

	/** Waits for the output table. @returns its heads, and the cells of each row */
	async readTable(): Promise<{ heads: string[]; rows: string[][] }> {
		await this.waitForSuccess();
		// n8n chooses the view again when a run has just ended, whatever was clicked before, and may redraw the
		// table at any moment. So all of it is read at once; the browser puts a tab between two cells.
		return await waitFor('the table', async () => {
			await this.output.getByTestId('radio-button-table').click();
			const lines = await this.output.locator('table tr').filter({ visible: true }).allInnerTexts();
			const [heads, ...rows] = lines.map((line) => line.split('\t').map((cell) => cell.trim()));
			return heads && rows.length > 0 && { heads: heads.filter(Boolean), rows };
		});
	}

	/** Waits for the hints of a run above its output. @returns their texts */
	async readHints(): Promise<string[]> {
		const hints = this.output.getByTestId('node-hint');
		await hints.first().waitFor();
		return (await hints.allInnerTexts()).map((text) => text.trim());
	}

	/** Waits for the error of a run. */
	async readError(): Promise<{ message: string; description: string }> {
		const message = this.output.getByTestId('node-error-message');
		await message.waitFor();
		return {
			message: (await message.innerText()).trim(),
			description: (await this.output.getByTestId('node-error-description').innerText()).trim(),
		};
	}

	/** Opens the file of an item of the output. @returns its player */
	async viewVideo(item = 0): Promise<VideoPlayer> {
		await this.output.getByTestId('radio-button-binary').click();
		await this.output.getByTestId('ndv-view-binary-data').nth(item).click();
		const video = this.output.locator('video');
		await video.waitFor();
		return new VideoPlayer(video);
	}

	/** Closes the player. */
	async closeVideo(): Promise<void> {
		await this.output.getByText('Back to list').click();
	}

	async close(): Promise<void> {
		await this.page.getByTestId('ndv-close-button').click();
		await this.root.waitFor({ state: 'hidden' });
	}

	private get entries(): Locator {
		return this.page.getByTestId('rlc-item').filter({ visible: true });
	}
}

/** The used properties of the browser's video element. */
interface VideoElement {
	duration: number;
	currentTime: number;
	videoWidth: number;
	currentSrc: string;
	error: { message: string } | null;
	play(): Promise<void>;
}

/** The player in which n8n shows a video. */
export class VideoPlayer {
	constructor(readonly root: Locator) {}

	async playFromStart(): Promise<void> {
		await this.root.evaluate(async (element: unknown) => {
			const video = element as VideoElement;
			video.currentTime = 0;
			await video.play();
		});
	}

	/** Returns the state of the player, with the current position and the reason why it cannot play. */
	async read() {
		return await this.root.evaluate((element: unknown) => {
			const video = element as VideoElement;
			return {
				address: video.currentSrc,
				durationSeconds: video.duration,
				seconds: video.currentTime,
				width: video.videoWidth,
				error: video.error?.message ?? null,
			};
		});
	}
}

/**
 * Returns the labels of all fields of a form, from top to bottom: `API Key *`. All are read at
 * once, because a label may vanish at any moment while a form is being drawn.
 */
export async function readLabels(form: Locator): Promise<string[]> {
	const labels = form.getByTestId('input-label').or(form.locator('form label'));
	const texts = await labels
		.filter({ visible: true })
		.evaluateAll((elements: unknown[]) =>
			(elements as Label[]).map((label) => label.querySelector('.n8n-text')?.innerText ?? ''),
		);
	return texts.map((text) => text.replace(/\s+/g, ' ').trim()).filter(Boolean);
}

/** The used property of the browser's element. */
interface Label {
	querySelector(selector: string): { innerText: string } | null;
}
