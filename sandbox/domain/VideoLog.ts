/** One successful generation, as the API lists it. */
export interface VideoLog {
	id: string;
	/** Null: the address at which the sandbox itself serves this video. */
	url: string | null;
	projectId: string;
	/** Text, not a time: tests list dates that no clock would write. */
	createdAt: string;
}
