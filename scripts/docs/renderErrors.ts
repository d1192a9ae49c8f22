import type { RecordedError } from './RecordedError';
import { renderTable } from './renderTable';
import { renderText, type Terms } from './renderText';

/** The errors as a table: when, and what n8n shows then. */
export function renderErrors(errors: RecordedError[], terms: Terms): string {
	return renderTable(
		['When', 'What n8n shows'],
		errors.map(({ when, message, description }) => [
			renderText(when, terms),
			`**${message}**<br>${description}`,
		]),
	);
}
