/** At most `max` requests of one account to one limited endpoint in each window. */
export interface RateLimit {
	max: number;
	windowMs: number;
}
