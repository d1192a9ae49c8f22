const { appendFileSync } = require('node:fs');

/** How often a mutant may run in a file: more is a loop that never ends. */
const HIT_LIMIT = 1_000_000;

// The code with mutants reads this object, and notes in it which mutants it has reached.
const stryker = (globalThis.__stryker__ = { hitCount: 0, hitLimit: HIT_LIMIT });

afterAll(() => {
	if (process.env.__STRYKER_ACTIVE_MUTANT__) return;
	const reached = Object.keys(stryker.mutantCoverage?.static ?? {});
	const { testPath } = expect.getState();
	appendFileSync('reached.jsonl', `${JSON.stringify({ testPath, reached })}\n`);
});
