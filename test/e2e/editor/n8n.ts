import { WITHOUT_CODE } from '../../support/e2e/RealN8n';
import { useRealN8n } from '../../support/e2e/useRealN8n';

/** The part of the key that is the same in links, JSON and HTML. */
export const KEY_PART = '9b1eSentinelZx4';
export const KEY = `sk/+${KEY_PART}~==`;

/** The n8n of all tests in this folder. */
export const real = useRealN8n('editor', {
	apiKey: KEY,
	environment: {
		...WITHOUT_CODE,
		N8N_LOG_LEVEL: 'debug',
	},
});
