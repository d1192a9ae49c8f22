import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const FOLDER = 'docs/pictures';

/** The pages that show pictures, with all paths relative to the root. */
const pages = ['README.md', 'examples/README.md']
	.map((page) =>
		fs
			.readFileSync(path.join(ROOT, page), 'utf8')
			.replace(/(src|srcset)="([^"]+)"/g, (_, attribute: string, file: string) => {
				const fromRoot = path.posix.join(path.posix.dirname(page), file);
				return `${attribute}="${fromRoot}"`;
			}),
	)
	.join('\n');
const shown = [...pages.matchAll(/(?:src|srcset)="([^"]+)"/g)].map((match) => match[1] ?? '');
const pictures = fs.readdirSync(path.join(ROOT, FOLDER)).map((file) => `${FOLDER}/${file}`);

test('The pictures that a page shows are there, by relative paths, and each is shown', () => {
	const ours = new Set(shown.filter((file) => file.startsWith(FOLDER)));
	expect([...ours].sort()).toEqual(pictures.sort());
	expect(shown.filter((file) => !fs.existsSync(path.join(ROOT, file)))).toEqual([]);
});
