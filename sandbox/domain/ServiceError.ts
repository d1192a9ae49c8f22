/** What the service refuses, in its own words; which HTTP status that is, the HTTP side knows. */
export class ServiceError extends Error {
	constructor(
		readonly code: 'invalidInput' | 'insufficientCredits' | 'notFound' | 'conflict',
		message: string,
	) {
		super(message);
		this.name = 'ServiceError';
	}
}
