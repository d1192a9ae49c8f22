/** Where a service has failed to tell a video, it must tell this many times as many in a row, up to the maximum. */
const REQUIRED_FACTOR = 4;
const MAX_REQUIRED = 16;

/**
 * Whether a service tells which video is an item's: by its address in the item's progress, or by its queue ID in the
 * list of videos. The specification promises neither.
 */
export class Telling {
	private toldInARow = 0;

	/** How many in a row it must tell to count as one that tells. */
	private required = 1;

	/** Whether an entry of its list has named a queue ID, so that a finished video can be identified at once. */
	namesQueueIds = false;

	/** Whether it can be expected to tell the next videos. */
	get isExpected(): boolean {
		return this.toldInARow >= this.required;
	}

	/** @param isTold whether it has told which video a finished item's is */
	learn(isTold: boolean): void {
		this.toldInARow = isTold ? this.toldInARow + 1 : 0;
		if (!isTold) this.required = Math.min(this.required * REQUIRED_FACTOR, MAX_REQUIRED);
	}
}

/** By the service's address, for as long as this process lives. */
const services = new Map<string, Telling>();

export function getTelling(baseUrl: string): Telling {
	const telling = services.get(baseUrl) ?? new Telling();
	services.set(baseUrl, telling);
	return telling;
}
