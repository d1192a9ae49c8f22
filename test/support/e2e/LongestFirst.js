const { basename } = require('node:path');
const { default: Sequencer } = require('@jest/test-sequencer');

/**
 * The tests that mostly wait for n8n's polls and for videos: they start first, so that the others
 * run meanwhile.
 */
const LONGEST = ['killed', 'queueMode', 'operations', 'browser', 'security'].map(
	(name) => `${name}.test.ts`,
);

/** Starts the longest files first. jest itself knows their durations only after it has run them. */
module.exports = class LongestFirst extends Sequencer {
	sort(tests) {
		const rank = ({ path }) => {
			const index = LONGEST.indexOf(basename(path));
			return index === -1 ? LONGEST.length : index;
		};
		return [...tests].sort((a, b) => rank(a) - rank(b) || a.path.localeCompare(b.path));
	}
};
