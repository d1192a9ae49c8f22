import type { Locator, Page } from 'playwright-core';

/** The fields of the open node, and what its panel says of a run. */
export class NodeFields {
	private readonly parameters: Locator;
	private readonly output: Locator;

	constructor(private readonly page: Page) {
		this.parameters = page.getByTestId('node-parameters');
		this.output = page.getByTestId('output-panel');
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

	/** Presses the trigger's button in place of the input. During a run, the same button stops n8n. */
	async fetchTestEvent(): Promise<void> {
		const button = this.page.getByTestId('trigger-execute-button');
		await button.filter({ hasText: 'Fetch Test Event' }).click();
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

	/** Shows the files of the output. @returns their names, from top to bottom */
	async readFileNames(): Promise<string[]> {
		await this.output.getByTestId('radio-button-binary').click();
		const text = await this.output.innerText();
		return [...text.matchAll(/File Name:\s*(\S+)/g)].map(([, name = '']) => name);
	}

	private get entries(): Locator {
		return this.page.getByTestId('rlc-item').filter({ visible: true });
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
		.evaluateAll((elements) =>
			elements.map((label) => label.querySelector<HTMLElement>('.n8n-text')?.innerText ?? ''),
		);
	return texts.map((text) => text.replace(/\s+/g, ' ').trim()).filter(Boolean);
}
