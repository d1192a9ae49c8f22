import type { Locator, Page } from 'playwright-core';

/** Publishes the workflow, and closes n8n's dialogs about it. */
export async function publish(page: Page): Promise<void> {
	await page.getByTestId('workflow-open-publish-modal-button').click();
	await page.getByTestId('workflow-publish-button').click();
	await page.getByTestId('activation-modal').waitFor();
	await page.keyboard.press('Escape');
	await page.getByTestId('workflow-active-version-indicator').waitFor();
}

/** Opens the list of executions. @returns its entries, which n8n keeps up to date */
export async function openExecutions(page: Page): Promise<Locator> {
	await page.getByTestId('radio-button-executions').click();
	const list = page.getByTestId('current-executions-list');
	await list.waitFor();
	return list.locator('[data-test-id^="execution-details-"]');
}

/** Shows an execution in place of the canvas. */
export async function openExecution(page: Page, entry: Locator): Promise<void> {
	const id = (await entry.getAttribute('data-test-id'))?.replace('execution-details-', '');
	await entry.click();
	await page.getByTestId(`execution-preview-details-${id}`).waitFor();
	await page.getByTestId('canvas-node-status-success').first().waitFor();
}
