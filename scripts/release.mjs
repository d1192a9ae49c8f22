import { runInherited } from './runInherited.mjs';

// Makes a version: "npm run release -- minor". npm checks that nothing is uncommitted, sets the
// version, has the changelog brought along ("version" in package.json), commits and tags. Pushing
// the tag publishes: .github/workflows/publish.yml. The project's .npmrc keeps npm from running
// scripts, so it is told to here.
const [bump, ...more] = process.argv.slice(2);
if (!bump || bump.startsWith('-')) {
	console.error('Say which version to make: npm run release -- patch, minor, major or 1.2.3');
	process.exitCode = 1;
} else {
	process.exitCode = await runInherited('npm', [
		'version',
		bump,
		'--ignore-scripts=false',
		...more,
	]);
	if (process.exitCode === 0) console.log('To publish it: git push --follow-tags');
}
