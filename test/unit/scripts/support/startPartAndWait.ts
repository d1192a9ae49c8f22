import { join } from 'node:path';
import { ProcessSet } from '../../../../scripts/processes/ProcessSet';

/** A starter with one part that runs on, for a test to kill the starter. */
const [logFile = ''] = process.argv.slice(2);
new ProcessSet(100).startPart(process.execPath, [join(__dirname, 'familyOfThree.mjs')], {
	name: 'The family',
	cwd: process.cwd(),
	env: process.env,
	logFile,
});
