import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { HELP } from '../../../sandbox/commandLine';
import { FAULT_KINDS } from '../../../sandbox/faults/FAULT_KINDS';
import { startSandbox } from '../../../sandbox/startSandbox';

const readme = readFileSync(join(__dirname, '../../../sandbox/README.md'), 'utf8');

it('the README names every fault and its options', () => {
	for (const [kind, { options }] of Object.entries(FAULT_KINDS)) {
		const row = new RegExp(`^\\| \`${kind}\` .*$`, 'm').exec(readme)?.[0] ?? '';
		for (const option of Object.keys(options)) expect(row).toContain(`\`${option}\``);
		expect(row).not.toBe('');
	}
});
it('the README names every control route', async () => {
	const sandbox = await startSandbox();
	await sandbox.close();
	const paths = sandbox.routes.map(({ path }) => path).filter((path) => path.startsWith('/_'));
	expect(paths.length).toBeGreaterThan(15);
	for (const path of paths) expect(readme).toContain(path.replace(/\/fail$/, '/finish`, `…/fail'));
});
it('the README names every option of the command line', () => {
	const options = HELP.match(/--[a-z]+/g)?.filter((option) => option !== '--help') ?? [];
	expect(options.length).toBeGreaterThan(4);
	for (const option of options) expect(readme).toContain(`\`${option}\``);
});
