import type { Credential } from '../../../scripts/n8n/n8nTypes';
import { ScriptedModel } from './ScriptedModel';
import type { RealN8nInTests } from './useRealN8n';

/** Starts a scripted model for all tests of a block, with its credential in n8n. */
export function useScriptedModel(real: RealN8nInTests) {
	const model = new ScriptedModel();
	const held = { model } as { readonly model: ScriptedModel; credential: Credential };
	beforeAll(async () => {
		await model.start();
		held.credential = await real.client.createCredential({
			...{ name: 'Scripted model', type: 'openAiApi' },
			data: { apiKey: 'none', url: model.url },
		});
	});
	afterAll(async () => {
		await model.stop();
	});
	return held;
}
