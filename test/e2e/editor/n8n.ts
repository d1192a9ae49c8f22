import { WITHOUT_CODE } from '../../support/e2e/RealN8n';
import { useRealN8n } from '../../support/e2e/useRealN8n';

/** The key looks different in a link. */
export const KEY = 'sk/9b1e+sentinel~Zx4==';

/** The n8n of all tests in this folder. */
export const real = useRealN8n('editor', {
	apiKey: KEY,
	environment: {
		...WITHOUT_CODE,
		N8N_LOG_LEVEL: 'debug',
		N8N_SSRF_PROTECTION_ENABLED: 'true',
		// The service and the chat model are in this range; all other private addresses stay forbidden.
		N8N_SSRF_ALLOWED_IP_RANGES: '127.0.0.1/32',
	},
});
