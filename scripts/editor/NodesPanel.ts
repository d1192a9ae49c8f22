import type { Locator, Page } from 'playwright-core';

/** n8n's panel for finding and adding nodes. */
export class NodesPanel {
	constructor(private readonly page: Page) {}

	get root(): Locator {
		return this.page.locator('aside').filter({ has: this.page.getByTestId('nodes-list-header') });
	}

	/** Opens the panel with the key N. In an empty workflow, the panel asks for a trigger first. */
	async open(): Promise<void> {
		await this.page.getByTestId('canvas-wrapper').waitFor();
		await this.page.keyboard.press('n');
		await this.searchField.waitFor();
	}

	/** Types into the search field. @returns the offered nodes as displayed */
	async search(text: string) {
		await this.searchField.fill(text);
		await this.item('Video Generation').waitFor();
		// All are read at once, because the list is drawn anew for each text.
		return await this.page.getByTestId('item-iterator-item').evaluateAll((items) =>
			items.map((item) => {
				const [name, description] = ['name', 'description'].map(
					(id) =>
						item.querySelector<HTMLElement>(`[data-test-id="node-creator-item-${id}"]`)?.innerText,
				);
				return { name, description };
			}),
		);
	}

	/** Opens the triggers and actions of an offered node. */
	async openDetails(nodeName: string): Promise<void> {
		await this.item(nodeName).click();
		await this.showDetails();
	}

	/** Opens the first of the offered nodes with the Enter key. */
	async openFirst(): Promise<void> {
		await this.page.keyboard.press('Enter');
		await this.showDetails();
	}

	private async showDetails(): Promise<void> {
		await this.page.getByTestId('nodes-list-header').getByText('Node details').waitFor();
		// n8n opens only the category that the workflow needs: triggers or actions.
		const categories = await this.page.getByTestId('node-creator-category-item').all();
		for (const category of categories) {
			const isClosed = (await category.locator('[data-icon="chevron-up"]').count()) > 0;
			if (isClosed) await category.click();
		}
	}

	/** Returns the texts of all displayed triggers and actions. */
	async readEntries(): Promise<string[]> {
		return await this.names.allInnerTexts();
	}

	/** Returns the texts that are cut off for lack of space. */
	async findCutTexts(): Promise<string[]> {
		const cut = await this.names.evaluateAll((elements) =>
			elements.map((element) => element.scrollWidth > element.clientWidth + 1),
		);
		return (await this.readEntries()).filter((_text, index) => cut[index]);
	}

	/** Whether an entry is shown as a whole, without scrolling. */
	async shows(entry: string): Promise<boolean> {
		return await this.item(entry).evaluate((element) => {
			const { top, bottom } = element.getBoundingClientRect();
			return top > 0 && bottom < element.ownerDocument.documentElement.clientHeight;
		});
	}

	/** Adds the node with this trigger or action; n8n opens the node. */
	async choose(entry: string): Promise<void> {
		await this.item(entry).click();
		await this.page.getByTestId('ndv').waitFor();
	}

	private get searchField(): Locator {
		return this.page.getByTestId('node-creator-search-bar');
	}

	private get names(): Locator {
		return this.page.getByTestId('node-creator-item-name');
	}

	private item(name: string): Locator {
		return this.names.getByText(name, { exact: true });
	}
}
