import type { IDataObject } from 'n8n-workflow';
import { isLog, readLogTime } from './findUnseenVideos';
import { isOfProjects } from './watchedProjects';

/** The log with the latest date; one without a readable date only when there is no other. */
export function findNewestVideo(
	logs: readonly IDataObject[],
	projectIds: readonly string[],
): IDataObject | undefined {
	let newest: IDataObject | undefined;
	for (const log of logs) {
		if (!isLog(log) || !isOfProjects(log, projectIds)) continue;
		if (newest === undefined || readLogTime(log) > readLogTime(newest)) newest = log;
	}
	return newest;
}
