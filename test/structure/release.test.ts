import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { delimiter, join, resolve, sep } from 'node:path';
import { parse } from 'yaml';

const WORKFLOWS = '.github/workflows';
const FILES = [
	...['package.json', 'package-lock.json', 'CHANGELOG.md', 'README.md'],
	...['.npmrc', '.prettierrc.json', '.gitignore', 'scripts'],
];

interface Step {
	uses?: string;
	name?: string;
	run?: string;
	with?: Record<string, unknown>;
}

interface Job {
	needs?: string;
	environment?: string;
	permissions?: object;
	'timeout-minutes'?: number;
	steps: Step[];
}

interface Workflow {
	on: { push: { tags: string[] } };
	permissions: object;
	jobs: Record<string, Job>;
}

function readWorkflow(file: string): Workflow {
	return parse(fs.readFileSync(join(WORKFLOWS, file), 'utf8')) as Workflow;
}

const publishing = readWorkflow('publish.yml');

describe('A release', () => {
	let folder: string;

	beforeEach(() => {
		folder = fs.mkdtempSync(join(tmpdir(), 'release-'));
		for (const file of FILES) fs.cpSync(file, join(folder, file), { recursive: true });
		fs.symlinkSync(resolve('node_modules'), join(folder, 'node_modules'), 'junction');
		run('git', 'init', '--quiet');
		run('git', 'config', 'user.name', 'Test');
		run('git', 'config', 'user.email', 'test@example.com');
		run('git', 'add', '.');
		run('git', 'commit', '--quiet', '--message', 'Before');
	});

	afterEach(() => {
		fs.rmSync(folder, { recursive: true, force: true });
	});

	const run = (command: string, ...args: string[]) =>
		spawnSync(command, args, { cwd: folder, encoding: 'utf8' });
	const release = (version = '7.8.9') => run('node', 'scripts/run.mjs', 'release', version);
	const read = (file: string) => fs.readFileSync(join(folder, file), 'utf8');
	/** Runs a step of the publishing workflow in the repository, as a push of this tag does. */
	const runStep = (name: string, tag: string, env: NodeJS.ProcessEnv = {}) => {
		const steps = Object.values(publishing.jobs).flatMap((job) => job.steps);
		const script = steps.find((step) => step.name === name)?.run ?? '';
		const [GITHUB_SHA = ''] = run('git', 'rev-parse', 'HEAD').stdout.split('\n');
		return spawnSync('bash', ['-e', '-c', script], {
			cwd: folder,
			encoding: 'utf8',
			env: { ...process.env, GITHUB_REF_NAME: tag, GITHUB_SHA, ...env },
		});
	};

	test('sets the version, dates its changes, names its file, commits and tags all of it', () => {
		expect(release().status).toBe(0);
		expect(JSON.parse(read('package.json'))).toMatchObject({ version: '7.8.9' });
		expect(read('CHANGELOG.md')).toMatch(/\[Unreleased\]\n\n## \[7\.8\.9\] - 2\d{3}-\d\d-\d\d\n/);
		const files = read('README.md').match(/[\w.-]+\.tgz/g);
		expect(new Set(files)).toEqual(new Set(['n8n-nodes-video-generation-7.8.9.tgz']));
		expect(run('git', 'tag').stdout.trim()).toBe('7.8.9');
		expect(run('git', 'status', '--short').stdout).toBe('');
	});

	test('that is a candidate leaves the changes to its version', () => {
		const before = read('CHANGELOG.md');
		expect(release('7.8.9-rc.1').status).toBe(0);
		expect(run('git', 'tag').stdout.trim()).toBe('7.8.9-rc.1');
		expect(read('CHANGELOG.md')).toBe(before);
	});

	test('is refused, with nothing changed, when the changelog says nothing of it', () => {
		const [head = ''] = read('CHANGELOG.md').split('## [Unreleased]');
		fs.writeFileSync(join(folder, 'CHANGELOG.md'), `${head}## [Unreleased]\n`);
		run('git', 'commit', '--all', '--quiet', '--message', 'Nothing to say');
		const { status, stderr } = release();
		expect(status).toBe(1);
		expect(stderr).toContain('Describe the changes under "Unreleased" in CHANGELOG.md first');
		expect(run('git', 'status', '--short').stdout).toBe('');
		expect(run('git', 'tag').stdout).toBe('');
	});

	test('is published only if its tag is its version, and on main', () => {
		const check = (tag: string) => runStep('The tag is the version, and on main', tag).status;
		const { version } = JSON.parse(read('package.json')) as { version: string };
		run('git', 'update-ref', 'refs/remotes/origin/main', 'HEAD');
		expect([check(version), check('7.8.9')]).toEqual([0, 1]);
		run('git', 'commit', '--quiet', '--allow-empty', '--message', 'Not on main');
		expect(check(version)).toBe(1);
	});

	test('is what npm installs by default, and a candidate only what it installs as next', () => {
		fs.writeFileSync(join(folder, 'package.tgz'), '');
		fs.writeFileSync(join(folder, 'npm'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
		const PATH = [folder, process.env.PATH].join(delimiter);
		const publish = (tag: string) =>
			runStep('Publish the package', tag, { PATH, NPM_TOKEN: '' }).stdout;
		expect(publish('7.8.9')).toMatch(/^publish .*--provenance .*--tag latest \.\/package\.tgz\n$/);
		expect(publish('7.8.9-rc.1')).toContain(' --tag next ');
		const version = '[0-9]+.[0-9]+.[0-9]+';
		expect(publishing.on.push.tags).toEqual([version, `${version}-rc.[0-9]+`]);
	});

	test('is built after the tests, where none has run', () => {
		const { build } = publishing.jobs;
		expect(build?.needs).toBe('test');
		const commands = build?.steps.flatMap(({ run: command = [] }) => command);
		expect(commands).toEqual(['npm ci --ignore-scripts', 'npm run build', 'npm pack']);
	});

	test('is published by a job that a person approves, that may do nothing else, and runs nothing of this repository', () => {
		const { publish, release: drafting, ...others } = publishing.jobs;
		expect(publish).toMatchObject({ needs: 'build', environment: 'npm' });
		expect(publish?.permissions).toEqual({ 'id-token': 'write' });
		expect(JSON.stringify(publish?.steps)).not.toMatch(/checkout|npm run|\.ci/);
		expect(publishing.permissions).toEqual({ contents: 'read' });
		// Of its own, the job that drafts the release runs nothing, either.
		expect(drafting).toMatchObject({ needs: 'publish' });
		expect(JSON.stringify(drafting?.steps)).not.toMatch(/checkout|npm |\.ci/);
		for (const job of Object.values(others)) {
			expect([job.environment, job.permissions]).toEqual([undefined, undefined]);
		}
	});

	test('is drafted with the published file, its checksum and its attestation', () => {
		const artifact = publishing.jobs.build?.steps.find(({ uses }) => uses?.includes('upload'));
		expect(artifact?.with?.path).toBe('*.tgz');
		fs.writeFileSync(join(folder, 'package.tgz'), 'package');
		fs.writeFileSync(join(folder, 'bundle'), 'attestation');
		fs.writeFileSync(join(folder, 'gh'), '#!/bin/sh\necho "$@"\n', { mode: 0o755 });
		const PATH = [folder, process.env.PATH].join(delimiter);
		const draft = (tag: string) =>
			runStep('Draft the release', tag, { PATH, BUNDLE: 'bundle' }).stdout;
		const files = ' ./package.tgz SHA256SUMS attestation.jsonl\n';
		expect(draft('7.8.9')).toMatch(new RegExp(`^release create 7.8.9 --draft .*${files}$`));
		expect(draft('7.8.9')).not.toContain('--prerelease');
		expect(draft('7.8.9-rc.1')).toContain(' --prerelease ');
		expect(read('attestation.jsonl')).toBe('attestation');
		expect(read('SHA256SUMS')).toMatch(/^[0-9a-f]{64} [ *]package\.tgz\n$/);
	});
});

describe('In the workflows', () => {
	const workflows = fs.readdirSync(WORKFLOWS).map(readWorkflow);
	const jobs = workflows.flatMap((workflow) => Object.values(workflow.jobs));
	const steps = jobs.flatMap((job) => job.steps);

	test('each action is the commit that was looked at', () => {
		const actions = steps.flatMap(({ uses = [] }) => uses);
		expect(actions.length).toBeGreaterThan(0);
		expect(actions.filter((action) => !/@[0-9a-f]{40}$/.test(action))).toEqual([]);
	});

	test('each job may only read the repository, has no token of it in its folder, and ends in time', () => {
		const checkouts = steps.filter(({ uses }) => uses?.startsWith('actions/checkout@'));
		expect(checkouts.map((step) => step.with?.['persist-credentials'])).toEqual(
			checkouts.map(() => false),
		);
		expect(workflows.map(({ permissions }) => permissions)).toEqual(
			workflows.map(() => ({ contents: 'read' })),
		);
		for (const job of jobs) expect(job['timeout-minutes']).toBeLessThanOrEqual(90);
	});
});

test('The package ships code, icons, codex files and the output schemas, and nothing of the workshop around them', () => {
	const pack = ['pack', '--dry-run', '--json', '--ignore-scripts'];
	const shell = process.platform === 'win32';
	const { stdout } = spawnSync('npm', pack, { encoding: 'utf8', shell });
	const [packed] = Object.values(
		JSON.parse(stdout) as Record<string, { files: { path: string }[] }>,
	);
	const list = (folder: string, ending: RegExp) =>
		fs
			.readdirSync(folder, { recursive: true, encoding: 'utf8' })
			.filter((file) => ending.test(file))
			.map((file) => `dist/${folder}/${file.replaceAll(sep, '/').replace(/ts$/, 'js')}`);
	expect(packed?.files.map((file) => file.path).sort()).toEqual(
		[
			...['LICENSE.md', 'README.md', 'package.json', 'dist/package.js'],
			...list('nodes', /\.(node\.ts|json)$/),
			...list('credentials', /\.credentials\.ts$/),
			...list('icons', /\.svg$/),
		].sort(),
	);
});
