/** The name of the credential that every request is signed with. */
export const CREDENTIAL = 'videoGenerationApi';

/**
 * What holds for every request: a redirect is not followed, since n8n would send the key along, and
 * an HTTP error is not thrown by n8n, since `Retry-After` would be lost. The body comes as a stream, since
 * n8n would take in whatever comes: `readAnswer` has limits.
 */
export const REQUEST_DEFAULTS = {
	json: true,
	disableFollowRedirect: true,
	ignoreHttpStatusErrors: true,
	encoding: 'stream',
} as const;

/** How often a request is sent at the most, when "Max Tries" is not set. */
export const DEFAULT_MAX_TRIES = 4;

/**
 * n8n gives up on an answer after 5 minutes. For an add it is left at that, since one that is cut
 * short may have been paid for; everything else is asked again rather.
 */
export const ANSWER_TIMEOUT_MS = 60_000;

/** n8n's own. */
export const LONGEST_ANSWER_MS = 300_000;
