import type { LoggedVideo } from './matchVideos';
import { matchVideos } from './matchVideos';
import type { VideoWait } from './VideoWait';

/** So many reads of the video log a finished item is given to appear in it. */
const READS_UNTIL_GIVEN_UP = 4;

/**
 * Ends the waits whose videos can be told. While another item of the same project is running, it
 * may have what looks like the only video: so items of one project are told apart when all of them
 * are through, and nobody waits longer for it, since n8n hands on all items together.
 *
 * @param waits all of the run, the ones that are over as well
 */
export function endFinishedWaits(waits: VideoWait[], videos: LoggedVideo[], now: number): void {
	const running = waits.filter(({ state }) => state === 'running');
	const ready = waits.filter(
		(wait) => wait.needsLog && !running.some((other) => isSameProject(wait, other)),
	);
	if (ready.length === 0) return;

	const undecided = waits.filter(({ isUndecided }) => isUndecided);
	const matches = matchVideos(ready, undecided, withoutGiven(waits, videos));
	for (const wait of ready) {
		const match = matches.get(wait) ?? { candidates: [] };
		if ('video' in match || match.candidates.length > 0) {
			wait.finish(match);
		} else if (wait.state === 'left') {
			if (now >= wait.deadlineAt) wait.timeOut();
		} else if (now >= wait.deadlineAt || wait.readsSinceFinished >= READS_UNTIL_GIVEN_UP) {
			wait.finish(match);
		}
	}
}

/** One entry is one queue item's only, also when the items end one after the other. */
function withoutGiven(waits: VideoWait[], videos: LoggedVideo[]): LoggedVideo[] {
	const given = new Set(waits.map(({ given }) => given));
	return videos.filter((video) => !given.has(video));
}

/** An item whose project is not known may be of any. */
function isSameProject(a: VideoWait, b: VideoWait): boolean {
	return a.projectId === undefined || b.projectId === undefined || a.projectId === b.projectId;
}
