import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HELP } from '../../../sandbox/commandLine';
import { DEFAULT_SETTINGS } from '../../../sandbox/domain/settings';
import { FAULT_KINDS } from '../../../sandbox/faults/FAULT_KINDS';
import { startSandbox } from '../../../sandbox/startSandbox';

const readme = readFileSync(join(__dirname, '../../../sandbox/README.md'), 'utf8');
const findRow = (name: string) => new RegExp(`^\\| \`${name}\` .*$`, 'm').exec(readme)?.[0] ?? '';

describe('The README of the sandbox', () => {
	it('names every fault and its options', () => {
		for (const [kind, { options }] of Object.entries(FAULT_KINDS)) {
			const row = findRow(kind);
			for (const option of Object.keys(options)) expect(row).toContain(`\`${option}\``);
			expect(row).not.toBe('');
		}
	});
	it.each(Object.keys(DEFAULT_SETTINGS))('names the setting %s', (name) => {
		expect(findRow(name)).not.toBe('');
	});
	it('names every control route', async () => {
		const sandbox = await startSandbox();
		await sandbox.close();
		const routes = sandbox.routes.filter(({ path }) => path.startsWith('/_'));
		expect(routes.length).toBeGreaterThan(15);
		const missing = routes
			.map(({ method, path }) => `\`${method} ${path}\``)
			.filter((route) => !readme.includes(route));
		expect(missing).toEqual([]);
	});
	it('names every option of the command line', () => {
		const options = HELP.match(/--[a-z]+/g)?.filter((option) => option !== '--help') ?? [];
		expect(options.length).toBeGreaterThan(4);
		for (const option of options) expect(findRow(option)).not.toBe('');
	});
});
