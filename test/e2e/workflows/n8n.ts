import type { Credential } from '../../../scripts/n8n/n8nTypes';
import { useRealN8n } from '../../support/e2e/useRealN8n';
import { ScriptedModel } from './ScriptedModel';
import { useApps } from './useApps';

const { apps, environment } = useApps();

export { apps };

/** The n8n of all tests in this folder: each leaves nothing but its own workflows in it. */
export const real = useRealN8n('workflows', { environment });

/** A model, and its credential in n8n. */
export const chat = { model: new ScriptedModel(), credential: {} as Credential };

beforeAll(async () => {
	await chat.model.start();
	const data = { apiKey: 'none', url: chat.model.url };
	chat.credential = await real.client.createCredential({
		name: 'Scripted model',
		type: 'openAiApi',
		data,
	});
});
beforeEach(() => {
	real.sandbox.configure({ durations: { pendingMs: 300, processingMs: 300, renderingMs: 300 } });
});
afterAll(() => {
	chat.model.stop();
});
