import { readFileSync, writeFileSync } from 'node:fs';
import { execFileSync } from 'node:child_process';
import { parser, Release } from 'keep-a-changelog';
import { format, resolveConfig } from 'prettier';

const FILE = 'CHANGELOG.md';

// What npm runs before it sets a version (with --check) and between that and committing it: the
// entries under "Unreleased" become those of this version. A version without any is refused, for its
// users could not know what changed.
const changelog = parser(readFileSync(FILE, 'utf8'));
const release = changelog.findRelease();
if (!release || release.isEmpty()) {
	console.error(
		`${FILE} has nothing under "Unreleased": say there first what the version changes.`,
	);
	process.exit(1);
}
if (!process.argv.includes('--check')) {
	const { version } = JSON.parse(readFileSync('package.json', 'utf8'));
	release.setVersion(version);
	release.setDate(new Date());
	changelog.addRelease(new Release());
	const options = await resolveConfig(FILE);
	writeFileSync(FILE, await format(changelog.toString(), { ...options, filepath: FILE }));
	execFileSync('git', ['add', FILE], { stdio: 'inherit' });
}
