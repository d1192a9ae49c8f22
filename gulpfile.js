const { dest, src, task, watch } = require('gulp');

/**
 * What n8n reads beside the compiled code: icons, codex files, output schemas. Each pattern begins with
 * its folder: one that begins with a choice has gulp walk through all of node_modules.
 */
const ASSETS = ['icons/**/*', 'nodes/**/*', 'credentials/**/*'].map(
	(each) => `${each}.{svg,png,json}`,
);

/** `npm run dev` builds into the package that n8n has loaded. */
const FOLDER = process.env.BUILD_FOLDER ?? 'dist';

task('build:assets', () => src(ASSETS, { base: '.', encoding: false }).pipe(dest(FOLDER)));

task('watch:assets', () => watch(ASSETS, { ignoreInitial: false }, task('build:assets')));
