import type { Account } from './Account';

/** Who uses the sandbox at its start. Keys are fixed, so that a saved credential keeps working. */
export const SEED_ACCOUNTS = {
	/** Has projects of every kind and no video yet. */
	main: {
		id: 'main',
		name: 'Ada Example',
		email: 'ada@example.com',
		apiKey: 'sandbox-key-of-ada-5f0c1d',
		credits: 100,
	},
	/** Somebody else, whose things the main account must never see. */
	other: {
		id: 'other',
		name: 'Ben Example',
		email: 'ben@example.com',
		apiKey: 'sandbox-key-of-ben-8e27b4',
		credits: 5,
	},
	/** Has nothing at all: no project, no video, no credit. */
	empty: {
		id: 'empty',
		name: 'Cleo Example',
		email: 'cleo@example.com',
		apiKey: 'sandbox-key-of-cleo-93ad60',
		credits: 0,
	},
} as const satisfies Record<string, Readonly<Account>>;
