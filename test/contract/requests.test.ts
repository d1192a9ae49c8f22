import { Ajv2020 } from 'ajv/dist/2020';
import type { Sandbox } from '../../sandbox/Sandbox';
import { startSandbox } from '../../sandbox/startSandbox';
import { createSandboxClient } from '../support/sandbox/createSandboxClient';
import { loadOpenApi } from '../support/sandbox/loadOpenApi';

const projectId = 'project-product-teaser';

let sandbox: Sandbox;
beforeAll(async () => {
	sandbox = await startSandbox();
});
afterAll(() => sandbox.close());

/** Returns whether `docs/openapi.yaml` allows `body` at POST /v1/queue/add. */
async function isDescribed(body: unknown): Promise<boolean> {
	const add = (await loadOpenApi()).find(({ path }) => path === '/v1/queue/add');
	const schema = add?.requestBody?.content['application/json']?.schema;
	if (!schema) throw new Error('docs/openapi.yaml describes no body of POST /v1/queue/add');
	return new Ajv2020({ strict: false }).validate(schema, body);
}

describe('POST /v1/queue/add takes and refuses the bodies that docs/openapi.yaml does:', () => {
	it.each([
		[{ projectId }, 200],
		[{ projectId, overwriteSettings: false }, 200],
		[{ projectId, overwriteSettings: true, customPrompt: 'A cat' }, 200],
		[{ projectId, customPrompt: 'A cat' }, 200],
		[{ projectId, customPrompt: null }, 200],
		[{ projectId, overwriteSettings: false, customPrompt: '' }, 200],
		[{ projectId, somethingNew: 1 }, 200],
		[{}, 400],
		[[], 400],
		[null, 400],
		['projectId', 400],
		[{ projectId: null }, 400],
		[{ projectId: 7 }, 400],
		[{ projectId, overwriteSettings: 'true' }, 400],
		[{ projectId, overwriteSettings: true }, 400],
		[{ projectId, overwriteSettings: true, customPrompt: null }, 400],
		[{ projectId, overwriteSettings: true, customPrompt: '' }, 400],
		[{ projectId, overwriteSettings: true, customPrompt: ' \n' }, 400],
		[{ projectId, customPrompt: 7 }, 400],
	])('%j: %i', async (body, status) => {
		const reply = await createSandboxClient(sandbox).post('/v1/queue/add', JSON.stringify(body), {
			headers: { 'Content-Type': 'application/json' },
		});
		expect(reply.status).toBe(status);
		expect(await isDescribed(body)).toBe(status === 200);
	});
});
