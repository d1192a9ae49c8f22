import { readFileSync, writeFileSync } from 'node:fs';
import { execa } from 'execa';
import { parser, Release } from 'keep-a-changelog';
import { format, resolveConfig } from 'prettier';

const CHANGELOG = 'CHANGELOG.md';

/**
 * `npm run release -- minor` makes a version. npm checks that nothing is uncommitted, sets the
 * version, updates the changelog (through `preversion` and `version` in package.json, which call
 * this file), commits and tags. Pushing the tag publishes the version:
 * .github/workflows/publish.yml.
 */
export default async function release([bump, ...more]: string[]): Promise<number> {
	if (bump === '--check-changelog' || bump === '--update-changelog') {
		await updateChangelog(bump === '--check-changelog');
		return 0;
	}
	if (!bump || bump.startsWith('-')) {
		throw new Error(
			'Enter the version to release: npm run release -- patch, minor, major or 1.2.3',
		);
	}
	// The project's .npmrc keeps npm from running scripts. git may ask for a passphrase, so it gets
	// the terminal.
	const args = ['version', bump, '--ignore-scripts=false', ...more];
	const { exitCode } = await execa('npm', args, { stdio: 'inherit', reject: false });
	if (exitCode === 0) console.log('To publish it: git push --follow-tags');
	return exitCode ?? 1;
}

/**
 * Moves the entries under "Unreleased" to the version that npm has set. A version without entries
 * is refused, because its users could not know what changed.
 */
async function updateChangelog(isCheck: boolean): Promise<void> {
	const changelog = parser(readFileSync(CHANGELOG, 'utf8'));
	const unreleased = changelog.findRelease();
	if (!unreleased || unreleased.isEmpty()) {
		throw new Error(`Describe the changes under "Unreleased" in ${CHANGELOG} first.`);
	}
	if (isCheck) return;
	const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };
	unreleased.setVersion(version);
	unreleased.setDate(new Date());
	changelog.addRelease(new Release());
	const options = await resolveConfig(CHANGELOG);
	writeFileSync(CHANGELOG, await format(changelog.toString(), { ...options, filepath: CHANGELOG }));
	await execa('git', ['add', CHANGELOG]);
}
