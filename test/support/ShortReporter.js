const { DefaultReporter } = require('@jest/reporters');

/** Names the files with failures, and those that print something: of the others, the count is enough. */
module.exports = class ShortReporter extends DefaultReporter {
	printTestFileHeader(file, config, result) {
		const isSilent = !result.console?.length && !result.testExecError;
		if (result.numFailingTests > 0 || !isSilent) super.printTestFileHeader(file, config, result);
	}
};
