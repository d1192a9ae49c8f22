import { findCacheFolder } from '../../../scripts/cache/findCacheFolder';
import { installOldest } from '../../../scripts/oldest/installOldest';
import { ProcessSet } from '../../../scripts/processes/ProcessSet';

/** Before all tests, once: the oldest n8n is there, and the workers of jest are told where. */
export default async function provideOldest(): Promise<void> {
	const processes = new ProcessSet();
	try {
		process.env.VIDEO_GENERATION_OLDEST = await installOldest(findCacheFolder(), processes);
	} finally {
		await processes.endAll();
	}
}
