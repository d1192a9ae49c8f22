import { execFileSync } from 'node:child_process';
import path from 'node:path';
import { compareInTurn } from './compareInTurn';

const SCRIPT = path.join(__dirname, 'loadOnce.mts');
const OURS = path.resolve(__dirname, '../..');
const FIRECRAWL = path.dirname(require.resolve('@mendable/n8n-nodes-firecrawl/package.json'));

/** Loads a package in a new process: code is compiled only once in each. @returns milliseconds */
async function load(folder: string): Promise<number> {
	const output = execFileSync(process.execPath, [SCRIPT, folder], { encoding: 'utf8' });
	return await Promise.resolve(Number(output));
}

void compareInTurn(
	{ name: 'Loading the package', peer: "Firecrawl's", limit: 0.9, pairs: 31 },
	async () => await load(OURS),
	async () => await load(FIRECRAWL),
);
