import type { OperationDoc } from './OperationDoc';
import { linkTo } from './renderText';

/** The way in which entries are listed: parameters, or fields of the output. */
interface ListedAs<T> {
	/** Returns the operation that is described before and explains the entry. */
	findEarlier(entry: T): OperationDoc | undefined;
	getName(entry: T): string;
	render(entry: T): string[];
}

/**
 * Renders the lines of a Markdown list. Entries that the same earlier operation explains share one
 * line.
 */
export function renderList<T>(
	entries: readonly T[],
	{ findEarlier, getName, render }: ListedAs<T>,
): string[] {
	return entries.flatMap((entry) => {
		const where = findEarlier(entry);
		if (!where) return render(entry);
		const group = entries.filter((each) => findEarlier(each) === where);
		return group[0] === entry ? [`- ${group.map(getName).join(', ')}: see ${linkTo(where)}.`] : [];
	});
}
