import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { publint } from 'publint';
import { formatMessage } from 'publint/utils';
import manifest from '../package.json' with { type: 'json' };
import { build } from './build.mjs';
import { unpackPackage } from './n8n/install.mjs';
import { installManifest } from './support/cache.mjs';
import { step } from './support/command.mjs';

const SCANNER = 'node_modules/@n8n/scan-community-package/scanner/scanner.mjs';

/** The part of n8n's scanner that is used here. It ignores comments that would disable a rule. */
interface Scanner {
	/** What it scans on a checkout. */
	SOURCE_FILE_PATTERNS: string[];
	/** A folder without any file passes, with a message. */
	analyzePackage: (folder: string, patterns: string[]) => Promise<Verdict>;
	/** Scans a published version, and what its provenance statement says that it was built from. */
	analyzePackageByName: (name: string, version: string) => Promise<Verdict>;
}

interface Verdict {
	message?: string;
	details?: string;
}

/** The files of a tarball that n8n scans; the scan of the sources covers the declarations. */
const TARBALL_PATTERNS = ['**/*.js', 'package.json'];

/** Code that n8n Cloud forbids, with comments that would disable the rule if they counted. */
const VIOLATION = `/* eslint-disable */
// eslint-disable-next-line @n8n/community-nodes/no-restricted-globals
setTimeout(() => undefined, 1000);
`;

/**
 * `npm run scan`: runs n8n's verification scan on this checkout and on the packed and unpacked
 * package, as n8n does before it verifies a package, and publint on the latter; with a version, n8n's scan on
 * the published one.
 */
export default async function scan([version]: string[]): Promise<void> {
	const installation = await installManifest('scan', "Installing n8n's verification scan");
	const { analyzePackage, analyzePackageByName, SOURCE_FILE_PATTERNS } = (await import(
		pathToFileURL(join(installation, SCANNER)).href
	)) as Scanner;
	const expectClean = ({ message, details = '' }: Verdict) => {
		if (message) throw new Error(`${message}\n${details}`);
	};
	if (version !== undefined) {
		await step(`Scanning ${version} as published`, async () => {
			expectClean(await analyzePackageByName(manifest.name, version));
		});
		return;
	}
	await build();
	const temporary = await mkdtemp(join(tmpdir(), 'scan-'));
	try {
		const planted = join(temporary, 'planted');
		await mkdir(join(planted, 'nodes'), { recursive: true });
		await writeFile(join(planted, 'nodes', 'waitTooLong.ts'), VIOLATION);
		await step('Checking that the scan finds a planted violation', async () => {
			const { details } = await analyzePackage(planted, SOURCE_FILE_PATTERNS);
			if (!details?.includes('no-restricted-globals')) {
				throw new Error('The scan did not find a planted violation, so its result means nothing.');
			}
		});
		await step('Scanning the checkout', async () => {
			expectClean(await analyzePackage(process.cwd(), SOURCE_FILE_PATTERNS));
		});
		await step('Scanning the packed package', async () => {
			const folder = join(temporary, 'package');
			await unpackPackage(join(temporary, 'packed'), folder);
			expectClean(await analyzePackage(folder, TARBALL_PATTERNS));
			const { messages, pkg } = await publint({ pkgDir: folder, pack: false });
			const advice = messages.map((message) => formatMessage(message, pkg));
			if (advice.length > 0) throw new Error(advice.join('\n'));
		});
	} finally {
		await rm(temporary, { recursive: true, force: true });
	}
}
