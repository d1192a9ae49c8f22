import { writeFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { format, resolveConfig } from 'prettier';
import type { DownloadFigures } from './download';
import type { ItemFigures } from './items';
import { readFigures } from './keepFigures';
import type { PackageFigures } from './packages';
import type { PollFigures } from './poll';
import type { WaitFigures } from './wait';

const FILE = 'docs/performance.md';
const ITEMS_LIMIT = 0.6;

/** Writes docs/performance.md out of what the benchmarks have measured last, on this machine. */
async function main(): Promise<void> {
	const text = [
		INTRODUCTION,
		describeMachine(),
		describeItems(readFigures('items') as ItemFigures[]),
		describeWait(readFigures('wait') as WaitFigures),
		describePoll(readFigures('poll') as PollFigures),
		describeDownload(readFigures('download') as DownloadFigures),
		describePackages(readFigures('packages') as PackageFigures[]),
	].join('\n\n');
	const options = await resolveConfig(FILE);
	writeFileSync(FILE, await format(text, { ...options, filepath: FILE }));
	console.log(`${FILE} is written.`);
}

const INTRODUCTION = `# Performance

\`npm run bench\` measures all of this, and \`npm run bench -- report\` writes this page of it: no
figure here was typed. Times depend on the machine, so look at the ratios: both sides of each were
measured in the same run, in turn.`;

function describeMachine(): string {
	const memoryGiB = Math.round(totalmem() / 1024 ** 3);
	return `Measured with ${cpus().length} processors and ${memoryGiB} GiB of memory (${platform()}, ${arch()}).`;
}

function describeItems(figures: ItemFigures[]): string {
	const rows = figures.map(
		({ count, ratio, oursMs, httpMs, axiosMs, oursOverMiB, httpOverMiB }) =>
			`| ${count} | **${ratio.toFixed(2)}** | ${oursMs} ms | ${httpMs} ms | ${Math.round(axiosMs)} ms | ${oursOverMiB ?? '?'} MiB | ${httpOverMiB ?? '?'} MiB |`,
	);
	const pairs = figures.map(
		({ count, ratios }) => `- ${count}: ${ratios.map((ratio) => ratio.toFixed(2)).join(', ')}`,
	);
	return `## Many items

**Queue > Get Progress** for many items, and the same requests by n8n's own **HTTP Request** node with
the same credential: in one real n8n, each node in a workflow of its own. The service answers at once
from another process, so what is left is n8n's work. The last columns are what the requests
take without n8n, and the most memory that all of n8n held over the idle one, in an n8n just started.

| items | ours by HTTP Request | ours | HTTP Request | axios alone | memory, ours | memory, HTTP Request |
| --: | --: | --: | --: | --: | --: | --: |
${rows.join('\n')}

Pair by pair:

${pairs.join('\n')}

Most of n8n's work is evaluating expressions. The node has none of its own: paths, bodies and the base
URL are set by functions, and a field that was dragged into a parameter is read from the item. What is
left are two evaluations by n8n itself for each item, its look-up of the credential for
each request, and the request. ${describeLimit(figures)}`;
}

function describeLimit(figures: ItemFigures[]): string {
	const isReached = figures.every(({ ratio }) => ratio <= ITEMS_LIMIT);
	return `The aim is at most ${ITEMS_LIMIT} times HTTP Request: it is ${isReached ? 'reached' : 'not reached yet'}.`;
}

function describeWait(figures: WaitFigures): string {
	const { items, shortestSeconds, longestSeconds, tookSeconds, sumSeconds } = figures;
	return `## Waiting

${items} videos that take between ${shortestSeconds} and ${longestSeconds} seconds, queued and waited for by one run of the
node: ${tookSeconds.toFixed(1)} s, **${(tookSeconds / longestSeconds).toFixed(2)} times the slowest one**. One after the other, as a loop of
nodes waits, the videos take ${sumSeconds.toFixed(0)} s (added up, not run). ${figures.matched} of ${items} were given their entry of
the video log, with ${figures.looksPerItem.toFixed(1)} looks at the progress for each item, and ${figures.logReads} reads of the video log
for all of them.`;
}

function describePoll({ logs, ratio, bareMs, pollMs, keptMiB, stateBytes }: PollFigures): string {
	return `## The trigger

One poll of an account with ${logs.toLocaleString('en')} finished videos takes ${Math.round(pollMs)} ms of processor time, **${ratio.toFixed(2)} times
the bare request** for that list through n8n's own helper (${Math.round(bareMs)} ms). It keeps ${keptMiB < 1 ? 'nothing' : `${keptMiB.toFixed(1)} MiB`} in memory
afterwards, and ${Math.round(stateBytes / 1000)} kB in n8n's database, which is the most that it ever stores.`;
}

function describeDownload({ fileMiB, overMib, idleMib }: DownloadFigures): string {
	return `## Downloads

A file of ${fileMiB} MiB takes **${overMib} MiB of memory** more than the idle engine (${idleMib} MiB), with n8n's binary
data on disk: it is streamed.`;
}

function describePackages(figures: PackageFigures[]): string {
	const rows = figures.map(
		({ name, version, sizeKiB, loadMs }) =>
			`| ${name} | ${version} | ${sizeKiB} KiB | ${loadMs.toFixed(1)} ms |`,
	);
	return `## The package

Beside two other community packages: size as installed, and the time that n8n takes once, at its
start, to load what the package declares (median of fresh processes, n8n-workflow loaded before).

| package | version | size | load time |
| --- | --- | --: | --: |
${rows.join('\n')}`;
}

void main();
