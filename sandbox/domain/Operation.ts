/** The API's operations by resource and verb, and the download of a finished video. */
export type Operation =
	| 'queue.add'
	| 'queue.getProgress'
	| 'queue.clear'
	| 'video.getAll'
	| 'project.getAll'
	| 'account.get'
	| 'video.file';
