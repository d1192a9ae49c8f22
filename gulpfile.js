const { dest, src, task } = require('gulp');

/**
 * What n8n reads beside the compiled code: icons, codex files, output schemas. Each pattern begins with
 * its folder: one that begins with a choice has gulp walk through all of node_modules.
 */
const ASSETS = ['icons/**/*', 'nodes/**/*', 'credentials/**/*'].map(
	(each) => `${each}.{svg,png,json}`,
);

task('build:assets', () => src(ASSETS, { base: '.', encoding: false }).pipe(dest('dist')));
