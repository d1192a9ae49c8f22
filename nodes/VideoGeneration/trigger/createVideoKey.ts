import type { IDataObject } from 'n8n-workflow';
import { hashText } from './hashText';

/**
 * What tells one log from all others, in a form that is short whatever the ID is: 64 bits of it.
 *
 * The specification promises an ID of text ("Video log"). One without is told by its address,
 * without the query, in which services put signatures that change, and by project and date.
 *
 * @returns undefined for a log that has none of these, which cannot be told from another one
 */
export function createVideoKey({ id, url, projectId, createdAt }: IDataObject): string | undefined {
	if (typeof id === 'string' && id !== '') return hashText(id);
	if (typeof id === 'number') return hashText(String(id));
	const address = typeof url === 'string' ? url.replace(/[?#].*$/s, '') : '';
	const parts = [address, projectId, createdAt].map((part) =>
		typeof part === 'string' || typeof part === 'number' ? String(part) : '',
	);
	// No ID looks like this, since it would have to begin with an unprintable character.
	return parts.some((part) => part !== '') ? hashText(`\u0000${parts.join('\n')}`) : undefined;
}
