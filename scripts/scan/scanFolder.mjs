import { createRequire } from 'node:module';
import { resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

/**
 * Runs n8n's verification scan on one folder, in a process of its own: the scan's modules are found
 * from the folder they are installed in. Unlike the scan's own command, this counts warnings too.
 *
 * Arguments: the folder of the scan's installation, the folder to scan, and file patterns, by
 * default those that the scan uses on a checkout.
 * Prints JSON: `fileCount`, `problemCount`, and `report` as text for a person.
 */
const [installation, folder, ...patterns] = process.argv.slice(2);
const require = createRequire(pathToFileURL(resolve(installation, 'package.json')));
const scannerPath = require.resolve('@n8n/scan-community-package/scanner/scanner.mjs');
const { buildScanConfig, SOURCE_FILE_PATTERNS } = await import(pathToFileURL(scannerPath).href);
const requireOfScanner = createRequire(pathToFileURL(scannerPath));
const { ESLint } = requireOfScanner('eslint');

const eslint = new ESLint({
	cwd: folder,
	// n8n sets this too: a comment that switches a rule off does not count.
	allowInlineConfig: false,
	overrideConfigFile: true,
	overrideConfig: await buildScanConfig(),
	errorOnUnmatchedPattern: false,
});
const results = await eslint.lintFiles(patterns.length > 0 ? patterns : SOURCE_FILE_PATTERNS);
const formatter = await eslint.loadFormatter('stylish');
const problems = results.map(({ errorCount, warningCount }) => errorCount + warningCount);
process.stdout.write(
	JSON.stringify({
		fileCount: results.length,
		problemCount: problems.reduce((sum, count) => sum + count, 0),
		report: await formatter.format(results),
	}),
);
