import type { Account } from './model';

/** The accounts at the start. Keys are fixed, so that a saved credential keeps working. */
export const SEED_ACCOUNTS = {
	/** Has projects of every kind, and no video yet. */
	main: {
		id: 'main',
		name: 'Ada Example',
		email: 'ada@example.com',
		apiKey: 'sandbox-key-of-ada-5f0c1d',
		otherApiKey: 'sandbox-key-of-ada-7c41aa',
		credits: 100,
	},
	/** Its projects and videos must be invisible to the main account. */
	other: {
		id: 'other',
		name: 'Ben Example',
		email: 'ben@example.com',
		apiKey: 'sandbox-key-of-ben-8e27b4',
		credits: 5,
	},
	/** Has no project, no video and no credits. */
	empty: {
		id: 'empty',
		name: 'Cleo Example',
		email: 'cleo@example.com',
		apiKey: 'sandbox-key-of-cleo-93ad60',
		credits: 0,
	},
} as const satisfies Record<string, Readonly<Account>>;
