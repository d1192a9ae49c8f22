import { waitFor } from '../../../scripts/waitFor';

/** Many times as long as an idle machine needs. */
const TIMEOUT_MS = 60_000;

/**
 * Repeats the assertions until they hold, because a page is drawn piece by piece.
 *
 * @throws the error of the last attempt if they do not hold in time
 */
export async function eventually(assert: () => Promise<void>): Promise<void> {
	let failure: unknown;
	const holds = async () => {
		try {
			await assert();
			return true;
		} catch (error) {
			failure = error;
			return false;
		}
	};
	await waitFor('assertions to hold', holds, TIMEOUT_MS).catch(() => {
		throw failure;
	});
}
