const QUEUED = /Queued video "(.+?)" of project "(.+?)" in execution (\d+)/g;

/** What the node has written into n8n's log: the video that each execution has queued. */
export function readQueuedVideos(log: string): Map<string, { queueId: string; projectId: string }> {
	const lines = [...log.matchAll(QUEUED)];
	return new Map(
		lines.map(([, queueId = '', projectId = '', executionId = '']) => [
			executionId,
			{ queueId, projectId },
		]),
	);
}
