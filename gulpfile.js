const { dest, src, task, watch } = require('gulp');

/**
 * The files that n8n reads beside the compiled code: icons, codex files, output schemas. Each
 * pattern begins with its folder: gulp walks through all of node_modules for a pattern that begins
 * with alternatives.
 */
const ASSETS = ['icons/**/*', 'nodes/**/*', 'credentials/**/*'].map(
	(each) => `${each}.{svg,png,json}`,
);

/** `npm run dev` builds into the package that n8n has loaded. */
const FOLDER = process.env.BUILD_FOLDER ?? 'dist';

task('build:assets', () => src(ASSETS, { base: '.', encoding: false }).pipe(dest(FOLDER)));

task('watch:assets', () => watch(ASSETS, { ignoreInitial: false }, task('build:assets')));
