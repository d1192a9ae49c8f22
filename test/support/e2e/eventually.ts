import { waitFor } from '../../../scripts/waitFor';

const TIMEOUT_MS = 20_000;

/**
 * Makes the assertions again until they hold, for what a page draws piece by piece.
 *
 * @throws what the last of them threw, when they do not hold in time
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
