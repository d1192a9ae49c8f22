const { DefaultReporter } = require('@jest/reporters');

/** Prints the header of a file only if it has failures or output; the count covers the others. */
module.exports = class ShortReporter extends DefaultReporter {
	printTestFileHeader(file, config, result) {
		const isSilent = !result.console?.length && !result.testExecError;
		if (result.numFailingTests > 0 || !isSilent) super.printTestFileHeader(file, config, result);
	}
};
