import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { build } from './build.mjs';
import { unpackPackage } from './n8n/install.mjs';
import { installManifest } from './support/cache.mjs';
import { run } from './support/processes.mjs';
import { step } from './support/steps.mjs';

/** The files of a tarball that n8n scans; the scan of the sources covers the declarations. */
const TARBALL_PATTERNS = ['**/*.js', 'package.json'];

/** Code that n8n Cloud forbids, with comments that would disable the rule if they counted. */
const VIOLATION = `/* eslint-disable */
// eslint-disable-next-line @n8n/community-nodes/no-restricted-globals
setTimeout(() => undefined, 1000);
`;

interface ScanResult {
	fileCount: number;
	problemCount: number;
	report: string;
}

/**
 * `npm run scan`: runs n8n's verification scan on this checkout and on the packed and unpacked
 * package, as n8n does before it verifies a package.
 */
export default async function scan(): Promise<number> {
	await build();
	const installation = await installManifest('scan', "Installing n8n's verification scan");
	const scanFolder = async (folder: string, ...patterns: string[]) =>
		JSON.parse(
			await run(process.execPath, [
				'scripts/scan/scanFolder.mjs',
				installation,
				folder,
				...patterns,
			]),
		) as ScanResult;
	const temporary = await mkdtemp(join(tmpdir(), 'scan-'));
	try {
		const planted = join(temporary, 'planted');
		await mkdir(join(planted, 'nodes', 'Planted'), { recursive: true });
		await writeFile(join(planted, 'nodes', 'Planted', 'waitTooLong.ts'), VIOLATION);
		await step('Checking that the scan finds a planted violation', async () => {
			const { problemCount } = await scanFolder(planted);
			if (problemCount === 0) {
				throw new Error('The scan did not find a planted violation, so its result means nothing.');
			}
		});
		const checkout = await step('Scanning the checkout', () => scanFolder(process.cwd()));
		const isCheckoutClean = judge('the checkout', checkout);
		const tarball = await step('Scanning the packed package', async () =>
			scanFolder(await unpackPackage(temporary), ...TARBALL_PATTERNS),
		);
		const isClean = judge('the packed package', tarball) && isCheckoutClean;
		console.log(isClean ? 'No errors or warnings.' : 'n8n would not verify this package.');
		return isClean ? 0 : 1;
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}

function judge(title: string, { fileCount, problemCount, report }: ScanResult): boolean {
	if (fileCount === 0) throw new Error(`The scan found no file to read in ${title}.`);
	console.log(`  ${fileCount} files, ${problemCount} errors and warnings`);
	if (problemCount > 0) console.log(report);
	return problemCount === 0;
}
