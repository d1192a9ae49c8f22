import { startSandbox } from '../../sandbox/startSandbox';
import { loadOpenApi } from '../support/sandbox/loadOpenApi';

it('the sandbox has exactly the endpoints that docs/openapi.yaml describes', async () => {
	const sandbox = await startSandbox();
	const served = sandbox.routes
		.filter(({ path }) => !path.startsWith('/_sandbox/') && !path.startsWith('/files/'))
		.map(({ method, path }) => `${method} ${path.replace(/:(\w+)/g, '{$1}')}`);
	const described = loadOpenApi().map(({ method, path }) => `${method} ${path}`);
	await sandbox.close();

	expect(served.sort()).toEqual(described.sort());
	expect(described).toHaveLength(6);
});
