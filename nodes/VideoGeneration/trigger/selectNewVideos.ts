import type { IDataObject } from 'n8n-workflow';
import { createVideoKey } from './createVideoKey';
import type { UnseenVideo } from './findUnseenVideos';
import { findUnseenVideos, isLog, readLogTimes } from './findUnseenVideos';
import { findFloor, forgetOldVideos } from './forgetOldVideos';
import type { StoredCursor } from './parseCursor';
import { UNDATED } from './readVideoTime';
import type { VideoCursor } from './VideoCursor';
import { MOST_VIDEOS } from './VideoCursor';
import { ENTRY_LENGTH, formatEntry, readKeys } from './videoEntries';
import { formatProjects, isAmongProjects, isOfProjects } from './watchedProjects';

/** What is watched, as the node is set now. */
export interface Watch {
	/** See createAccountMark. */
	account: string;
	/** Empty: all projects. */
	projectIds: readonly string[];
	/** Whether the first poll hands on what it finds. */
	emitExisting: boolean;
	/** Whether the cursor is that of the very last poll, not of an earlier one that n8n had saved. */
	isContinuous: boolean;
}

export interface Selection {
	/** Oldest first; logs without a readable date last. */
	videos: IDataObject[];
	/** The same object when nothing has changed. */
	cursor: VideoCursor;
}

/**
 * Tells the new logs of a list from those that were there before. A log whose ID was never listed
 * is new, whatever its date says, unless it lies below the floor of the cursor.
 *
 * @param logs the whole list of "GET /v1/videos", in any order
 */
export function selectNewVideos(
	logs: readonly IDataObject[],
	stored: StoredCursor,
	watch: Watch,
): Selection {
	if (stored === 'absent') return startAnew(logs, watch, watch.emitExisting);
	if (stored === 'damaged' || isOtherAccount(logs, stored, watch)) {
		return startAnew(logs, watch, false);
	}
	const unseen = findUnseenVideos(logs, readLogTimes(logs), stored);
	// Where n8n has not saved the last polls, what a project had finished before it was added is
	// unseen as well: of added projects, only what comes from now on is new.
	const wasWatched = (log: IDataObject) =>
		watch.isContinuous || isAmongProjects(log, stored.projects);
	return {
		videos: takeWanted(unseen, watch).filter(wasWatched),
		cursor: remember(unseen, stored, watch),
	};
}

/** Remembers what is there, and hands it on only where that is wanted. */
function startAnew(logs: readonly IDataObject[], watch: Watch, isHandedOn: boolean): Selection {
	const isLong = logs.length > MOST_VIDEOS;
	const times = readLogTimes(logs);
	const start: VideoCursor = {
		version: 1,
		account: watch.account,
		projects: formatProjects(watch.projectIds),
		// Of a long list only the newest logs are looked at, unless all of them are wanted.
		floor: isLong && !isHandedOn ? findFloor(times) : UNDATED,
		isUndatedForgotten: false,
		videos: '',
	};
	const unseen = findUnseenVideos(logs, times, start);
	return {
		videos: isHandedOn ? takeWanted(unseen, watch) : [],
		cursor: remember(unseen, start, watch),
	};
}

function takeWanted(unseen: UnseenVideo[], { projectIds }: Watch): IDataObject[] {
	const rank = ({ time }: UnseenVideo) => (time === UNDATED ? Number.MAX_VALUE : time);
	return unseen
		.filter(({ log }) => isOfProjects(log, projectIds))
		.sort((a, b) => rank(a) - rank(b))
		.map(({ log }) => log);
}

/** Logs of projects that are not watched are remembered, too: they are old once they are. */
function remember(unseen: UnseenVideo[], before: VideoCursor, watch: Watch): VideoCursor {
	const { account } = watch;
	const projects = formatProjects(watch.projectIds);
	const isSame = account === before.account && projects === before.projects;
	if (isSame && unseen.length === 0) return before;

	const videos = before.videos + unseen.map(({ key, time }) => formatEntry(key, time)).join('');
	const cursor = { ...before, account, projects, videos };
	return videos.length > MOST_VIDEOS * ENTRY_LENGTH ? forgetOldVideos(cursor) : cursor;
}

/**
 * Whether key or address have changed, and nothing of what is listed was ever seen. A new key of
 * the same account goes on where the old one has stopped, and an empty list tells nothing.
 */
function isOtherAccount(
	logs: readonly IDataObject[],
	cursor: VideoCursor,
	{ account }: Watch,
): boolean {
	if (cursor.account === account || logs.length === 0) return false;
	const known = readKeys(cursor.videos);
	return !logs.some((log) => isLog(log) && known.has(createVideoKey(log) ?? ''));
}
