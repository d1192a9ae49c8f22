const { default: Sequencer } = require('@jest/test-sequencer');

/** Starts the quickest files first: the first one that fails ends the tests of a mutant. */
module.exports = class QuickestFirst extends Sequencer {
	sort(tests) {
		return super.sort(tests).sort((a, b) => (a.duration ?? 0) - (b.duration ?? 0));
	}
};
