import type { StoryExecution, StoryItem, StoryValue } from './Story';

/*
 * What the values of a story mean, by the documents.
 */

/** The key of a value from a sheet; undefined if it is none. */
export function toKey(value: StoryValue): string | undefined {
	if (value === null || Array.isArray(value)) return undefined;
	const text = String(value).trim();
	return text === '' ? undefined : text;
}

/** The number of a value from a sheet, if it is a finite one. */
export function toCredits(value: StoryValue): number | undefined {
	if (typeof value === 'boolean' || toKey(value) === undefined) return undefined;
	const credits = Number(value);
	return Number.isFinite(credits) ? credits : undefined;
}

/** Whether an item has what Unique Key, Credits to Keep and Credits per Video need. */
export function hasUsableOptions(execution: StoryExecution, { key, keep, cost }: StoryItem) {
	const { uniqueKey, creditsToKeep, creditsPerVideo } = execution;
	return (
		(uniqueKey !== '$json.key' || toKey(key) !== undefined) &&
		(creditsToKeep !== '$json.keep' || (toCredits(keep) ?? -1) >= 0) &&
		(creditsPerVideo !== '$json.cost' || (toCredits(cost) ?? 0) > 0)
	);
}
