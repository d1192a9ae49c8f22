import { mkdirSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import fc from 'fast-check';
import { keepFigures } from '../../bench/keepFigures';
import { findViolations } from './invariants';
import type { Violation } from './invariants';
import type { Ledger } from './Ledger';
import { openLedger } from './Ledger';
import type { Stage } from './playStory';
import { openStage } from './playStory';
import type { Story } from './Story';
import { createStories, sampleStories } from './stories';
import type { Theme } from './stories';
import { tellStory } from './tellStory';
import { measureVideos } from './waitInvariants';

/** Number of stories of each theme, out of 300. */
const SHARES: Record<Theme, number> = { adds: 85, clears: 20, waits: 100, agents: 50, keys: 45 };

/** `npm run test:long` sets a larger number; its stories are different each time. */
const LONG_RUN = Number(process.env.LEDGER_EXECUTIONS ?? 0);
const EXECUTIONS = LONG_RUN > 0 ? LONG_RUN : 300;
const FIXED_SEED = 10;

/** The seed and the path that a failure prints: set in the environment, they repeat it. */
const REPEATED = { seed: process.env.LEDGER_SEED, path: process.env.LEDGER_PATH };

/** The results of a long run, for the report (`npm run bench -- report`). */
export interface LedgerFigures {
	executions: number;
	items: number;
	/**
	 * The adds that reached the service; those whose fate the node could not know; and the charges.
	 */
	adds: number;
	unknownFates: number;
	charges: number;
	/** Number of items that were given a video: their own, according to the service's record. */
	videos: number;
	violations: number;
	seed: number;
}

const LONGEST_TEST_MS = 3_600_000;

/**
 * Plays and judges random stories of a theme: two thirds with a fixed seed, the others with a seed
 * of the day.
 */
export function judgeStories(theme: Theme): void {
	const held: { stage?: Stage } = {};
	beforeAll(async () => {
		held.stage = await openStage();
	});
	afterAll(async () => {
		await held.stage?.close();
	});
	const share = Math.ceil((EXECUTIONS * SHARES[theme]) / 300);
	for (const { seed, count, why } of chooseSeeds(share)) {
		const name = `${count} stories with ${why}, ${seed}`;
		const judge = async () => {
			if (!held.stage) throw new Error('The stage is there from beforeAll to afterAll');
			const folder = process.env.LEDGER_SURVEY;
			if (folder !== undefined) await survey(held.stage, theme, seed, count, folder);
			else await findCounterexample(held.stage, theme, seed, count);
		};
		test(name, judge, LONGEST_TEST_MS);
	}
}

function chooseSeeds(share: number): { seed: number; count: number; why: string }[] {
	if (REPEATED.seed !== undefined) {
		return [{ seed: Number(REPEATED.seed), count: share, why: 'the seed to be repeated' }];
	}
	if (LONG_RUN > 0) {
		return [{ seed: Date.now() % 2 ** 31, count: share, why: 'a seed of their own' }];
	}
	const today = Number(new Date().toISOString().slice(0, 10).replaceAll('-', ''));
	const ofToday = Math.floor(share / 3);
	return [
		{ seed: FIXED_SEED, count: share - ofToday, why: 'the fixed seed' },
		{ seed: today, count: ofToday, why: 'the seed of today' },
	];
}

interface Judgement {
	ledger: Ledger;
	violations: Violation[];
}

async function playAndJudge(stage: Stage, story: Story): Promise<Judgement> {
	const ledger = openLedger(await stage.play(story));
	return { ledger, violations: findViolations(ledger) };
}

/** @throws Error that tells the smallest story found in which an invariant does not hold */
async function findCounterexample(
	stage: Stage,
	theme: Theme,
	seed: number,
	numRuns: number,
): Promise<void> {
	let invariant: string | undefined;
	let smallest: Judgement | undefined;
	const sum = { executions: 0, items: 0, adds: 0, unknownFates: 0, charges: 0, videos: 0 };
	const property = fc.asyncProperty(createStories(theme), async (story) => {
		const judgement = await playAndJudge(stage, story);
		const { orders, adds, videos, outcomes } = judgement.ledger;
		sum.executions += story.executions.length;
		sum.items += orders.length;
		sum.adds += adds.length;
		sum.unknownFates += adds.filter(({ fate }) => fate === 'unknown').length;
		sum.charges += videos.length;
		sum.videos += outcomes.filter(({ json }) => json.video).length;
		const [first] = judgement.violations;
		if (!first) return true;
		// The story is shrunk for the first invariant that it broke, so that it does not turn into
		// another failure.
		invariant ??= first.invariant;
		if (!judgement.violations.some((violation) => violation.invariant === invariant)) return true;
		smallest = judgement;
		return false;
	});
	const { path } = REPEATED;
	const details = await fc.check(property, { seed, numRuns, ...(path !== undefined && { path }) });
	// A story that cannot be played proves nothing.
	if (details.failed && !smallest) throw details.errorInstance;
	if (!smallest) {
		const figures: LedgerFigures = { ...sum, violations: 0, seed };
		if (LONG_RUN > 0) keepFigures(`ledger-${theme}`, figures);
		return;
	}
	const { counterexamplePath } = details;
	throw new Error(
		[
			tellStory(smallest.ledger, smallest.violations),
			'Again:',
			`  LEDGER_SEED=${seed} LEDGER_PATH=${counterexamplePath ?? ''} npx jest test/engine/ledger/${theme}`,
		].join('\n'),
	);
}

/**
 * Plays all stories, even after a violation, and counts the stories that break each invariant.
 * Writes the counts, and the shortest story for each invariant, to the folder LEDGER_SURVEY.
 */
async function survey(
	stage: Stage,
	theme: Theme,
	seed: number,
	numRuns: number,
	folder: string,
): Promise<void> {
	const counts = new Map<string, number>();
	const measured = new Map<string, number>();
	const examples = new Map<string, string>();
	const startedAt = process.hrtime.bigint();
	for (const story of sampleStories(theme, seed, numRuns)) {
		const { ledger, violations } = await playAndJudge(stage, story);
		for (const [name, count] of Object.entries(measureVideos(ledger))) {
			measured.set(name, (measured.get(name) ?? 0) + count);
		}
		for (const violation of violations) {
			const { invariant } = violation;
			counts.set(invariant, (counts.get(invariant) ?? 0) + 1);
			const tale = tellStory(ledger, [violation]);
			const shortest = examples.get(invariant);
			if (shortest === undefined || tale.length < shortest.length) examples.set(invariant, tale);
		}
	}
	const tookMs = Number(process.hrtime.bigint() - startedAt) / 1e6;
	const table = [...counts].map(([invariant, count]) => `${count}\t${invariant}`).sort();
	const title = `${theme}, seed ${seed}: ${numRuns} stories, ${(tookMs / numRuns).toFixed(0)} ms each`;
	mkdirSync(folder, { recursive: true });
	const figures = [...measured].map(([name, count]) => `${count}\t${name}`).sort();
	const lines = [title, ...table, '', 'Measured:', ...figures, ''];
	writeFileSync(join(folder, `${theme}-${seed}.txt`), lines.join('\n'));
	for (const [invariant, tale] of examples) {
		writeFileSync(join(folder, `${theme}-${seed}-${invariant}.txt`), tale);
	}
}
