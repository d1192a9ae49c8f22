import { findViolations } from '../engine/ledger/invariants';
import { openLedger } from '../engine/ledger/Ledger';
import type { Play } from '../engine/ledger/Scene';
import { sampleStories } from '../engine/ledger/stories';
import type { Theme } from '../engine/ledger/stories';
import { tellStory } from '../engine/ledger/tellStory';
import { playInN8n, shorten } from '../support/e2e/playInN8n';
import { RealN8n, WITHOUT_CODE } from '../support/e2e/RealN8n';

/** Keys are about several executions of one workflow, and each execution here has its own. */
type PlayedTheme = Exclude<Theme, 'keys'>;

const SHARES: Record<PlayedTheme, number> = { adds: 10, clears: 3, waits: 10, agents: 6 };
const SEED = 10;
/** Number of stories at the same time: they spend most of their time waiting for videos. */
const AT_ONCE = 14;
/** The videos of a story take an eighth of their time, because the stories run in real time. */
const SHORTER = { factor: 8 };

const n8n = RealN8n.create('ledger', WITHOUT_CODE);
/** The tale of each played story; empty if every invariant holds. */
const tales: Record<PlayedTheme, string[]> = { adds: [], clears: [], waits: [], agents: [] };

beforeAll(async () => {
	await n8n.start();
	const stories = (Object.entries(SHARES) as [PlayedTheme, number][])
		.flatMap(([theme, count]) =>
			sampleStories(theme, SEED, count).map((story) => ({ theme, story: shorten(story, SHORTER) })),
		)
		.entries();
	const played: { index: number; theme: PlayedTheme; finish: () => Promise<Play> }[] = [];
	const worker = async () => {
		for (const [index, { theme, story }] of stories) {
			played.push({ index, theme, ...(await playInN8n(n8n, story, index + 1)) });
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, worker));
	for (const { index, theme, finish } of played) {
		const ledger = openLedger(await finish());
		const violations = findViolations(ledger);
		const tale = violations.length > 0 ? `Story ${index}: ${tellStory(ledger, violations)}` : '';
		tales[theme].push(tale);
	}
});
afterAll(async () => {
	await n8n.stop();
});

test.each(Object.entries(SHARES) as [PlayedTheme, number][])(
	'The invariants of random executions hold in a real n8n: %s, %i stories',
	(theme, count) => {
		expect(tales[theme]).toHaveLength(count);
		expect(tales[theme].filter((tale) => tale !== '').join('\n\n')).toBe('');
	},
);
