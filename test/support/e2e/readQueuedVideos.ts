const QUEUED = /Queued video "(.+?)" of project "(.+?)" in execution (\d+)/g;

/**
 * Finds the lines of n8n's log in which the node names queued videos. @returns the video of each
 * execution, by execution ID
 */
export function readQueuedVideos(log: string): Map<string, { queueId: string; projectId: string }> {
	const lines = [...log.matchAll(QUEUED)];
	return new Map(
		lines.map(([, queueId = '', projectId = '', executionId = '']) => [
			executionId,
			{ queueId, projectId },
		]),
	);
}
