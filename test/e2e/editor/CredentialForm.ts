import type { Locator, Page } from 'playwright-core';
import { readLabels } from './NodeFields';

/** n8n's form of a credential. */
export class CredentialForm {
	readonly root: Locator;

	constructor(private readonly page: Page) {
		this.root = page.getByTestId('editCredential-modal');
	}

	/** Chooses the type by its name, in the dialog that asks for it. */
	async chooseType(name: string): Promise<void> {
		await this.page.getByTestId('new-credential-type-select').locator('input').fill(name);
		const option = this.page.getByTestId('new-credential-type-select-option');
		await option.getByText(name, { exact: true }).click();
		await this.page.getByTestId('new-credential-type-button').click();
		await this.root.waitFor();
	}

	/** Returns the labels of the fields as displayed, with the mark of required ones. */
	async readLabels(): Promise<string[]> {
		return await readLabels(this.root);
	}

	field(name: string): Locator {
		return this.root.getByTestId(`parameter-input-${name}`).locator('input');
	}

	/**
	 * Saves the credential, which n8n then tests. @returns the form's message about the connection,
	 * or the reason of a failure
	 */
	async saveAndTest(): Promise<string> {
		await this.root.getByTestId('credential-save-button').click();
		const succeeded = this.root.getByText('Connection tested successfully');
		const failed = this.root.getByText('Couldn’t connect with these settings');
		await succeeded.or(failed).filter({ visible: true }).waitFor();
		if (await succeeded.isVisible()) return (await succeeded.innerText()).trim();
		await this.root.getByText('More details').click();
		return (await this.root.locator('[class*="_details_"]').innerText()).trim();
	}

	async close(): Promise<void> {
		await this.page.keyboard.press('Escape');
		await this.root.waitFor({ state: 'hidden' });
	}
}
