import { execFileSync, spawnSync } from 'node:child_process';
import { cpSync, mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const FILES = [
	'package.json',
	'package-lock.json',
	'CHANGELOG.md',
	'.npmrc',
	'.prettierrc.json',
	'.gitignore',
	'scripts',
];

/** Creates a repository with the files that a release touches, all of them committed. */
function createRepository(): string {
	const folder = mkdtempSync(path.join(tmpdir(), 'release-'));
	for (const file of FILES) {
		cpSync(path.join(ROOT, file), path.join(folder, file), { recursive: true });
	}
	symlinkSync(path.join(ROOT, 'node_modules'), path.join(folder, 'node_modules'), 'junction');
	const git = (...args: string[]) => execFileSync('git', args, { cwd: folder });
	git('init', '--quiet');
	git('config', 'user.name', 'Test');
	git('config', 'user.email', 'test@example.com');
	git('add', '.');
	git('commit', '--quiet', '--message', 'Before');
	return folder;
}

describe('A release', () => {
	let folder: string;

	beforeEach(() => {
		folder = createRepository();
	});

	afterEach(() => {
		rmSync(folder, { recursive: true, force: true });
	});

	const run = (command: string, ...args: string[]) =>
		spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
	const release = () => run('node', 'scripts/run.mjs', 'release', '7.8.9');
	const read = (file: string) => readFileSync(path.join(folder, file), 'utf8');

	test('sets the version, dates its changes, commits both and tags them as publishing wants it', () => {
		expect(release().status).toBe(0);
		expect(JSON.parse(read('package.json'))).toMatchObject({ version: '7.8.9' });
		expect(read('CHANGELOG.md')).toMatch(
			/## \[Unreleased\]\n\n## \[7\.8\.9\] - \d{4}-\d\d-\d\d\n\n###/,
		);
		expect(run('git', 'tag').stdout.trim()).toBe('7.8.9');
		expect(run('git', 'status', '--short').stdout).toBe('');
		const workflow = readFileSync(path.join(ROOT, '.github/workflows/publish.yml'), 'utf8');
		expect(workflow).toContain("tags: ['[0-9]+.[0-9]+.[0-9]+']");
	});

	test('is refused, with nothing changed, when the changelog says nothing of it', () => {
		const [head = ''] = read('CHANGELOG.md').split('## [Unreleased]');
		writeFileSync(path.join(folder, 'CHANGELOG.md'), `${head}## [Unreleased]\n`);
		run('git', 'commit', '--all', '--quiet', '--message', 'Nothing to say');
		const { status, stderr } = release();
		expect(status).toBe(1);
		expect(stderr).toContain('Describe the changes under "Unreleased" in CHANGELOG.md first');
		expect(run('git', 'status', '--short').stdout).toBe('');
		expect(run('git', 'tag').stdout).toBe('');
	});
});
