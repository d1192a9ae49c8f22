import type { Locator, Page } from 'playwright-core';
import { waitFor } from '../../../scripts/waitFor';

/** A failure as n8n shows it. */
export interface ShownError {
	message: string;
	description: string;
}

/** An output as n8n's table shows it. */
export interface ShownTable {
	heads: string[];
	rows: string[][];
}

/** The panel of one node: what goes in, its parameters, what comes out. */
export class NodePanel {
	readonly root: Locator;

	readonly output: Locator;

	readonly parameters: Locator;

	constructor(private readonly page: Page) {
		this.root = page.getByTestId('ndv');
		this.output = page.getByTestId('output-panel');
		this.parameters = page.getByTestId('node-parameters');
	}

	/** One parameter's control. */
	parameter(name: string): Locator {
		return this.parameters.getByTestId(`parameter-input-${name}`);
	}

	/** The labels of all parameters that are shown, from top to bottom. */
	async readLabels(): Promise<string[]> {
		return await readLabels(this.parameters);
	}

	/** Waits until a parameter appears or vanishes. */
	async waitForLabel(label: string, state: 'visible' | 'hidden' = 'visible'): Promise<void> {
		await this.parameters.locator('label').getByText(label, { exact: true }).waitFor({ state });
	}

	/** The name of the credential that is chosen. */
	async readCredential(): Promise<string> {
		return await this.parameters
			.getByTestId('node-credentials-select')
			.locator('input')
			.inputValue();
	}

	/** Waits until a parameter is marked as one that has to be filled in. */
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

	/** Turns a switch. */
	async toggle(name: string): Promise<void> {
		await this.parameter(name).locator('.el-switch').click();
	}

	/** Opens a list that is searched by name. @returns the names in it */
	async openList(name: string): Promise<string[]> {
		await this.page.getByTestId(`resource-locator-${name}`).getByTestId('rlc-input').click();
		await this.entries.first().waitFor();
		return await this.entries.allInnerTexts();
	}

	/** Types into the search field of the open list. @returns the names that are left */
	async searchList(text: string, expected: string): Promise<string[]> {
		await this.page.getByTestId('rlc-search').fill(text);
		await this.entries.filter({ hasNotText: expected }).first().waitFor({ state: 'hidden' });
		await this.entries.filter({ hasText: expected }).waitFor();
		return await this.entries.allInnerTexts();
	}

	async pickFromList(name: string): Promise<void> {
		await this.entries.getByText(name, { exact: true }).click();
	}

	/** Presses the node's button; n8n takes away what an earlier run put out as it begins. */
	async execute(): Promise<void> {
		await this.page.getByTestId('node-execute-button').click();
	}

	/** Presses the node's button, and waits until n8n has begun: what is shown then is not of an earlier run. */
	async executeAgain(): Promise<void> {
		const begun = this.page.waitForResponse(/\/workflows\/[^/]+\/run/);
		await this.execute();
		await begun;
	}

	/** The trigger's button in the place of the input; while n8n is still at work, the same button stops it. */
	async fetchTestEvent(): Promise<void> {
		const button = this.page.getByTestId('trigger-execute-button');
		await button.filter({ hasText: 'Fetch Test Event' }).click();
	}

	/** The output table: its heads, and the cells of each row. Waits until there is one. */
	async readTable(): Promise<ShownTable> {
		await this.output.getByTestId('node-run-status-success').waitFor();
		const table = this.output.locator('table');
		// For a run that ends just now, n8n chooses how to show it once more, whatever was clicked before.
		await waitFor('the table', async () => {
			await this.output.getByTestId('radio-button-table').click();
			return await table.locator('tbody td').first().isVisible();
		});
		// In one look, for n8n may draw the table anew at any moment. Runs in the page, where none of the names
		// that a compiler gives to functions is known: so they have none.
		return await table.first().evaluate((element: unknown) => {
			const root = element as Element;
			return {
				heads: [...root.querySelectorAll('th')]
					.map(({ innerText }) => innerText.trim())
					.filter(Boolean),
				rows: [...root.querySelectorAll('tbody tr')].map((row) =>
					[...row.querySelectorAll('td')].map(({ innerText }) => innerText.trim()),
				),
			};
		});
	}

	/** Waits for the error of a run. */
	async readError(): Promise<ShownError> {
		const message = this.output.getByTestId('node-error-message');
		await message.waitFor();
		return {
			message: (await message.innerText()).trim(),
			description: (await this.output.getByTestId('node-error-description').innerText()).trim(),
		};
	}

	/** Opens the first file of the output. @returns its player */
	async viewVideo(): Promise<VideoPlayer> {
		await this.output.getByTestId('radio-button-binary').click();
		await this.output.getByTestId('ndv-view-binary-data').first().click();
		const video = this.output.locator('video');
		await video.waitFor();
		return new VideoPlayer(video);
	}

	async close(): Promise<void> {
		await this.page.getByTestId('ndv-close-button').click();
		await this.root.waitFor({ state: 'hidden' });
	}

	private get entries(): Locator {
		return this.page.getByTestId('rlc-item').filter({ visible: true });
	}
}

/** What the page's player tells of its video. */
export interface VideoState {
	durationSeconds: number;
	/** Where it stands. */
	seconds: number;
	width: number;
	/** Why it cannot be played. */
	error: string | null;
}

/** The browser's own names. */
interface VideoElement {
	duration: number;
	currentTime: number;
	videoWidth: number;
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

	async read(): Promise<VideoState> {
		return await this.root.evaluate((element: unknown) => {
			const video = element as VideoElement;
			return {
				durationSeconds: video.duration,
				seconds: video.currentTime,
				width: video.videoWidth,
				error: video.error?.message ?? null,
			};
		});
	}
}

/**
 * The labels of all fields of a form, from top to bottom: `API Key *`. They are read in one look, for
 * while a form is being drawn a label may go at any moment.
 */
export async function readLabels(form: Locator): Promise<string[]> {
	const labels = form.getByTestId('input-label').or(form.locator('form label'));
	const texts = await labels
		.filter({ visible: true })
		.evaluateAll((elements: unknown[]) =>
			(elements as Element[]).map((element) => element.querySelector('.n8n-text')?.innerText ?? ''),
		);
	return texts.map((text) => text.replace(/\s+/g, ' ').trim()).filter(Boolean);
}

/** What is used of the browser's own elements. */
interface Element {
	innerText: string;
	querySelector(selector: string): Element | null;
	querySelectorAll(selector: string): Iterable<Element>;
}
