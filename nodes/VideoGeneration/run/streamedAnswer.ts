import type { IExecuteFunctions } from 'n8n-workflow';
import type { WaitSettings } from '../waiting/waitForVideo';
import { pause } from '../api/pacing';
import type { Job } from '../item/job';

/** Without a polling interval of its own. */
const DEFAULT_INTERVAL_MS = 5_000;

interface Streaming extends Pick<IExecuteFunctions, 'isStreaming'> {
	/** A promise, whatever n8n's type says. */
	sendChunk: (...chunk: Parameters<IExecuteFunctions['sendChunk']>) => Promise<void>;
}

/**
 * Sends an empty chunk now and then where an execution streams its answer, whatever the node waits for: proxies end a
 * response that is silent for a minute or two. n8n's chat shows nothing of it.
 *
 * @returns a function that ends this
 */
export function keepStreamOpen([job]: Job[]): () => void {
	const { isStreaming, sendChunk } = (job?.context ?? {}) as Partial<Streaming>;
	const end = new AbortController();
	if (job !== undefined && sendChunk !== undefined && isStreaming?.call(job.context) === true) {
		const { wait } = (job.order ?? {}) as { wait?: WaitSettings };
		const intervalMs = wait?.intervalMs ?? DEFAULT_INTERVAL_MS;
		const send = async () => {
			do {
				await sendChunk.call(job.context, 'item', 0, '');
			} while (await pause(intervalMs, end.signal));
		};
		// The work goes on, whatever becomes of the answer.
		send().catch(() => undefined);
	}
	return () => {
		end.abort();
	};
}
