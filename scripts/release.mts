import { readFileSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';

const CHANGELOG = 'CHANGELOG.md';
const UNRELEASED = '## [Unreleased]\n';
const README = 'README.md';
/** The version in the name of the file that `npm pack` writes. */
const PACKED_VERSION = /(?<=n8n-nodes-video-generation-)\d\S*(?=\.tgz)/g;

/**
 * `npm run release -- minor` makes a version, and `-- preminor --preid=rc` a release candidate: npm
 * checks that nothing is uncommitted, sets the version, commits and tags. Its hook `version` in
 * package.json runs this file again, which writes the version into the documents.
 */
export default async function release(args: string[]): Promise<number> {
	const changelog = readFileSync(CHANGELOG, 'utf8');
	const [, changes = ''] = changelog.split(UNRELEASED);
	if (!/^\s*[^#\s]|^\s*###/.test(changes)) {
		throw new Error(`Describe the changes under "Unreleased" in ${CHANGELOG} first.`);
	}
	if (args[0] === '--write-version') {
		const { npm_package_version: version = '' } = process.env;
		writeFileSync(README, readFileSync(README, 'utf8').replaceAll(PACKED_VERSION, version));
		// The changes of a release candidate stay those of the next version.
		if (!version.includes('-')) {
			const date = new Date().toISOString().slice(0, 10);
			const dated = `${UNRELEASED}\n## [${version}] - ${date}\n`;
			writeFileSync(CHANGELOG, changelog.replace(UNRELEASED, dated));
		}
		await execa('git', ['add', CHANGELOG, README]);
		return 0;
	}
	// The project's .npmrc keeps npm from running scripts. git may ask for a passphrase, so it gets
	// the terminal.
	const version = ['version', ...args, '--ignore-scripts=false'];
	const { exitCode } = await execa('npm', version, { stdio: 'inherit', reject: false });
	if (exitCode === 0) console.log('To publish it: git push --follow-tags');
	return exitCode ?? 1;
}
