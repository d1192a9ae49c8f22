/** The owner of an API key. Everything else in the sandbox belongs to one account. */
export interface Account {
	/** The sandbox's own name for it; the API has no account id. */
	id: string;
	name: string;
	email: string;
	apiKey: string;
	credits: number;
}
