import { eventually } from './eventually';

/** Expects a form to have these labels, from top to bottom, as soon as all of it is drawn. */
export async function expectLabels(
	form: { readLabels(): Promise<string[]> },
	labels: string[],
): Promise<void> {
	await eventually(async () => {
		expect(await form.readLabels()).toEqual(labels);
	});
}
