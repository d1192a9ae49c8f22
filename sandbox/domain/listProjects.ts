import type { Account } from './Account';
import type { Project } from './Project';
import type { Store } from './Store';

/** The account's projects, sorted as GET /v1/projects says; ids decide between equal dates. */
export function listProjects(
	store: Store,
	account: Account,
	sort: 'updatedAt' | 'createdAt',
	order: 'asc' | 'desc',
): Project[] {
	const sign = order === 'asc' ? 1 : -1;
	return [...store.projects.values()]
		.filter((project) => project.accountId === account.id)
		.sort((a, b) => sign * (a[sort] - b[sort]) || (a.id < b.id ? -1 : 1));
}
