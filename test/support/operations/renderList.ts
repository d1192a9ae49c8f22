import type { OperationDoc } from './OperationDoc';
import { linkTo } from './renderText';

/** What is listed: a parameter, or a field of the output. */
interface ListedAs<T> {
	/** The operation that is described before, and explains it. */
	findEarlier(entry: T): OperationDoc | undefined;
	getName(entry: T): string;
	render(entry: T): string[];
}

/** The lines of a Markdown list. Entries that the same earlier operation explains share one line. */
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
