import fs from 'node:fs';
import path from 'node:path';

const ROOT = path.resolve(__dirname, '../..');
const FOLDER = 'docs/pictures';
const MAX_BYTES = 250_000;

/**
 * The width of a page's column, and the number of pixels that `npm run pictures` makes for each
 * pixel of a window.
 */
const COLUMN_PX = 830;
const SCALE = 2;
/** The size of n8n's small texts, and the minimum readable size. */
const SMALL_TEXT_PX = 12;
const READABLE_PX = 11;

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

describe('The pictures', () => {
	test('that a page shows are there, by relative paths, and each is shown', () => {
		const ours = new Set(shown.filter((file) => file.startsWith(FOLDER)));
		expect([...ours].sort()).toEqual(pictures.sort());
		expect(shown.filter((file) => !fs.existsSync(path.join(ROOT, file)))).toEqual([]);
	});

	test('are there for a light and for a dark page, each with a text for those who do not see it', () => {
		const names = pictures.map((file) => file.replace(/-(light|dark)\.png$/, ''));
		for (const name of new Set(names)) {
			expect(pictures).toContain(`${name}-light.png`);
			expect(pictures).toContain(`${name}-dark.png`);
			expect(pages).toMatch(new RegExp(`src="${name}-light\\.png"[^>]* alt="[^"]{10,}"`));
			expect(pages).toContain(
				`<source media="(prefers-color-scheme: dark)" srcset="${name}-dark.png">`,
			);
		}
	});

	test.each(pictures)('do not make a page wait, with small texts that can be read: %s', (file) => {
		const content = fs.readFileSync(path.join(ROOT, file));
		expect(content.length).toBeLessThan(MAX_BYTES);
		const name = file.replace(/-(light|dark)\.png$/, '');
		const [, width] = new RegExp(`src="${name}-light\\.png" width="(\\d+)"`).exec(pages) ?? [];
		// A PNG has its width in its header, after the signature and the name of the header.
		const windowPx = content.readUInt32BE(16) / SCALE;
		const share = Math.min(1, Number(width ?? COLUMN_PX) / windowPx);
		expect(SMALL_TEXT_PX * share).toBeGreaterThanOrEqual(READABLE_PX);
	});
});
