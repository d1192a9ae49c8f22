import type { Locator } from 'playwright-core';

/** The labels of all fields of a form, from top to bottom: `API Key *`. */
export async function readLabels(form: Locator): Promise<string[]> {
	const all = form.getByTestId('input-label').or(form.locator('form label'));
	const labels = await all.filter({ visible: true }).all();
	const texts = await Promise.all(
		labels.map(async (label) => await label.locator('.n8n-text').first().innerText()),
	);
	return texts.map((text) => text.replace(/\s+/g, ' ').trim()).filter(Boolean);
}
