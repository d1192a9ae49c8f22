import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { findCacheFolder } from '../cache/findCacheFolder';
import { packAndUnpack } from '../n8n/packAndUnpack';
import type { ProcessSet } from '../processes/ProcessSet';
import { ReadableError } from '../ReadableError';
import { showStep } from '../steps/showStep';
import { installScan } from './installScan';
import { plantViolation } from './plantViolation';

/** What n8n scans of a tarball: its declarations are covered by the scan of their sources. */
const TARBALL_PATTERNS = ['**/*.js', 'package.json'];

const OPTIONS = { cwd: process.cwd(), env: process.env };

interface ScanResult {
	fileCount: number;
	problemCount: number;
	report: string;
}

/**
 * n8n's verification scan on this checkout and on the packed, unpacked package, as n8n does it before
 * it verifies a package.
 * @returns whether both are without any error or warning
 */
export async function scanPackage(processes: ProcessSet): Promise<boolean> {
	const installation = await installScan(findCacheFolder(), processes);
	const temporary = await mkdtemp(join(tmpdir(), 'verification-scan-'));
	const scan = async (folder: string, patterns: string[] = []) =>
		await runScan(installation, folder, patterns, processes);
	try {
		const planted = await plantViolation(join(temporary, 'planted'));
		const proof = await showStep('Making sure that the scan sees a planted violation', () =>
			scan(planted),
		);
		if (proof.problemCount === 0) {
			throw new ReadableError('The scan overlooks a planted violation, so it proves nothing.');
		}
		const checkout = await showStep('Scanning the checkout', () => scan(process.cwd()));
		const isCheckoutClean = judge('the checkout', checkout);
		const tarball = await showStep('Scanning the packed package', async () =>
			scan(await packAndUnpack(temporary, processes), TARBALL_PATTERNS),
		);
		return judge('the packed package', tarball) && isCheckoutClean;
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}

async function runScan(
	installation: string,
	folder: string,
	patterns: string[],
	processes: ProcessSet,
): Promise<ScanResult> {
	const script = join(__dirname, 'scanFolder.mjs');
	const args = [script, installation, folder, ...patterns];
	return JSON.parse(await processes.run(process.execPath, args, OPTIONS)) as ScanResult;
}

function judge(title: string, { fileCount, problemCount, report }: ScanResult): boolean {
	if (fileCount === 0) throw new ReadableError(`The scan found no file to read in ${title}.`);
	console.log(`  ${fileCount} files, ${problemCount} errors and warnings`);
	if (problemCount > 0) console.log(report);
	return problemCount === 0;
}
