/** An error that an operation gave in n8n's own engine. */
export interface RecordedError {
	/** `queue.add`; `trigger` for the trigger; `any` for what every operation can meet. */
	operation: string;
	/** When it comes, as a clause. */
	when: string;
	/** What n8n shows in red. */
	message: string;
	/** What n8n shows below it. */
	description: string;
}
