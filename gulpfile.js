const { dest, src, task } = require('gulp');

/** What n8n reads beside the compiled code: icons, codex files, output schemas. */
const ASSETS = ['icons/**/*.{svg,png}', '{nodes,credentials}/**/*.{svg,png,json}'];

task('build:assets', () => src(ASSETS, { base: '.', encoding: false }).pipe(dest('dist')));
