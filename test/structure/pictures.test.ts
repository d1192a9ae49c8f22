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

test('Pictures are there for a light and for a dark page, each with a text for those who do not see it', () => {
	const names = pictures.map((file) => file.replace(/-(light|dark)\.png$/, ''));
	for (const name of new Set(names)) {
		expect(pages).toMatch(new RegExp(`src="${name}-light\\.png"[^>]* alt="[^"]{10,}"`));
		expect(pages).toContain(
			`<source media="(prefers-color-scheme: dark)" srcset="${name}-dark.png">`,
		);
	}
});
