import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { findViolations } from './invariants';
import { openLedger } from './Ledger';
import type { Stage } from './playStory';
import { openStage } from './playStory';
import type { Story } from './Story';
import { tellStory } from './tellStory';

/** Stories that broke an invariant once, as the judge of random stories printed them. */
const FOLDER = join(__dirname, 'found');

let stage: Stage;
beforeAll(async () => {
	stage = await openStage();
});
afterAll(async () => {
	await stage.close();
});

test.each(readdirSync(FOLDER))('%s breaks no invariant any more', async (file) => {
	const story = JSON.parse(readFileSync(join(FOLDER, file), 'utf8')) as Story;
	const ledger = openLedger(await stage.play(story));
	const violations = findViolations(ledger);
	if (violations.length > 0) throw new Error(tellStory(ledger, violations));
});
