import type { Locator, Page } from 'playwright-core';

/** What n8n shows of a node in its nodes panel. */
export interface OfferedNode {
	name: string;
	description: string;
}

/** What a box in the page says of its room. */
interface Box {
	scrollWidth: number;
	clientWidth: number;
}

/** n8n's panel to find nodes in and to add them from. */
export class NodesPanel {
	constructor(private readonly page: Page) {}

	get root(): Locator {
		return this.page.locator('aside').filter({ has: this.page.getByTestId('nodes-list-header') });
	}

	/** As the key N opens it; on an empty workflow it asks for a trigger first. */
	async open(): Promise<void> {
		await this.page.getByTestId('canvas-wrapper').waitFor();
		await this.page.keyboard.press('n');
		await this.searchField.waitFor();
	}

	/** Types into the search field. @returns what is offered then, as a user sees it */
	async search(text: string): Promise<OfferedNode[]> {
		await this.searchField.fill(text);
		await this.item('Video Generation').waitFor();
		const items = await this.page.getByTestId('item-iterator-item').all();
		return await Promise.all(
			items.map(async (item) => ({
				name: await item.getByTestId('node-creator-item-name').innerText(),
				description: await item.getByTestId('node-creator-item-description').innerText(),
			})),
		);
	}

	/** Opens the triggers and actions of a node that is offered. */
	async openDetails(nodeName: string): Promise<void> {
		await this.item(nodeName).click();
		await this.page.getByTestId('nodes-list-header').getByText('Node details').waitFor();
		// Of triggers and actions, n8n opens the one that the workflow needs.
		const categories = await this.page.getByTestId('node-creator-category-item').all();
		for (const category of categories) {
			const isClosed = (await category.locator('[data-icon="chevron-up"]').count()) > 0;
			if (isClosed) await category.click();
		}
	}

	/** The texts of all triggers and actions that are shown. */
	async readEntries(): Promise<string[]> {
		return await this.names.allInnerTexts();
	}

	/** The texts of which a part is hidden for want of room. */
	async findCutTexts(): Promise<string[]> {
		const cut = await this.names.evaluateAll((elements: unknown[]) =>
			(elements as Box[]).map((element) => element.scrollWidth > element.clientWidth + 1),
		);
		return (await this.readEntries()).filter((_text, index) => cut[index]);
	}

	/** Adds the node, set to this trigger or action; n8n opens it. */
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
