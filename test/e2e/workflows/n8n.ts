import { useRealN8n } from '../../support/e2e/useRealN8n';
import { useScriptedModel } from '../../support/e2e/useScriptedModel';
import { useApps } from './apps/useApps';

export const apps = useApps('workflows');

/** The n8n of all tests in this folder: each leaves nothing but its own workflows in it. */
export const real = useRealN8n('workflows', { environment: apps.environment });

export const chat = useScriptedModel(real);

beforeEach(() => {
	real.sandbox.configure({ durations: { pendingMs: 300, processingMs: 300, renderingMs: 300 } });
});
