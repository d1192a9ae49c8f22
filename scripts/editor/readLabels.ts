import type { Locator } from 'playwright-core';

/** What is used of the browser's own elements. */
interface Element {
	querySelector(selector: string): { innerText: string } | null;
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
