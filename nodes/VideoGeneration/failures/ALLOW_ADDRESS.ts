/** Whom to ask about an address that n8n's own rules forbid, and for what. */
export const ALLOW_ADDRESS =
	'If it is right, ask your n8n administrator to allow it: by its name in N8N_SSRF_ALLOWED_HOSTNAMES, or by its IP address in N8N_SSRF_ALLOWED_IP_RANGES.';
