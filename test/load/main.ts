import assert from 'node:assert/strict';
import { startSandbox } from '../../sandbox/startSandbox';
import { loadPackage, PACKAGE_ROOT } from '../support/engine/loadPackage';
import { runNode } from '../support/engine/runNode';

/**
 * Loads the package that `VIDEO_GENERATION_PACKAGE` names by n8n's own loader, and reads an account
 * with it in n8n's engine. Argument: the major version of Node.js that this has to be.
 */
async function main(major: string): Promise<void> {
	assert.equal(process.versions.node.split('.')[0], major);
	assert.equal(PACKAGE_ROOT, process.env.VIDEO_GENERATION_PACKAGE);
	const { nodes, credentials } = await loadPackage();
	const names = Object.values(nodes).map(({ description }) => description.displayName);
	assert.deepEqual(names.sort(), ['Video Generation', 'Video Generation Trigger']);
	assert.deepEqual(Object.keys(credentials), ['videoGenerationApi']);

	const sandbox = await startSandbox();
	const { items, error } = await runNode({
		parameters: { resource: 'account', operation: 'get' },
		credentials: { baseUrl: sandbox.url, apiKey: sandbox.apiKey },
	});
	assert.equal(error, undefined);
	assert.equal(typeof items[0]?.json.email, 'string');
	const sent = sandbox.requests.map(({ method, url }) => `${method} ${url}`);
	assert.deepEqual(sent, ['GET /v1/user/account']);
	console.log(`${process.version}: ${names.join(', ')}; one request sent and answered`);
}

void main(process.argv[2] ?? '').then(
	() => process.exit(0),
	(error: unknown) => {
		console.error(error);
		process.exit(1);
	},
);
