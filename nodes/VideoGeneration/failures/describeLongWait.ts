/** Waiting longer than this is not for a running workflow: it fails and says when to come back. */
export const LONGEST_RETRY_AFTER_MS = 120_000;

/** What to do when a service asks to wait for longer than a running workflow can. */
export function describeLongWait(retryAfterMs: number): string {
	const minutes = Math.ceil(retryAfterMs / 60_000);
	return `It asks to come back in ${minutes} minutes, which is too long to wait in a running workflow. Run the workflow again after that.`;
}
