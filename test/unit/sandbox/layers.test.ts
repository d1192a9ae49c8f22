import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';

const SANDBOX = join(__dirname, '../../../sandbox');

/** Lists what the files of a folder import, as paths from `sandbox/` or as package names. */
function listImports(folder: string): string[] {
	return readdirSync(join(SANDBOX, folder))
		.filter((name) => name.endsWith('.ts'))
		.flatMap((name) => {
			const source = readFileSync(join(SANDBOX, folder, name), 'utf8');
			return [...source.matchAll(/from '([^']+)'/g)].map(([, target = '']) =>
				target.startsWith('.') ? join(folder, target) : target,
			);
		});
}

it.each([
	['domain', /^domain\//],
	['files', /^(files\/|node:)/],
	['faults', /^(faults\/|domain\/|node:|ajv$)/],
	['control', /^(control\/|faults\/|domain\/)/],
	['http', /^(http\/|control\/|faults\/|domain\/|files\/|node:|fastify|@fastify\/)/],
])('sandbox/%s imports nothing that depends on it', (folder, allowed) => {
	const imports = listImports(folder);
	expect(imports.length).toBeGreaterThan(0);
	expect(imports.filter((target) => !allowed.test(target))).toEqual([]);
});
