import { readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { format, resolveConfig } from 'prettier';
import type { CompareFigures } from './compare';
import type { DownloadFigures } from './download';
import type { HostileFigures } from './hostile';
import type { MakeAndDownloadFigures } from './makeAndDownload';
import type { ItemFigures } from './items';
import { readFigures } from './keepFigures';
import type { PackageFigures } from './packages';
import type { PollFigures } from './poll';
import type { PollOfLogs } from './scaleTables';
import { createScaleTables, WORKFLOWS } from './scaleTables';
import type { WaitFigures } from './wait';

/** Figures of a run in queue mode, by their labels. */
type QueueModeFigures = Record<string, string | number>;

const PERFORMANCE = 'docs/performance.md';
const SECURITY = 'docs/security.md';
const SCALING = 'docs/scaling.md';
const COMPARISON = 'docs/comparison.md';
const ITEMS_LIMIT = 0.6;
const NOTEWORTHY_MIB = 100;

/** Writes all figures of the documents from the latest measurements on this machine. */
async function main(): Promise<void> {
	const documents = [...[writePerformance, writeSecurity, writeScaling, writeComparison]];
	for (const writeDocument of documents) {
		try {
			await writeDocument();
		} catch (error) {
			console.log(`${(error as Error).message} The document is left as it is.`);
		}
	}
}

async function writePerformance(): Promise<void> {
	const performance = [
		INTRODUCTION,
		describeMachine(),
		describeItems(readFigures('items') as ItemFigures[]),
		describeWait(readFigures('wait') as WaitFigures),
		describePoll(readFigures('poll') as PollFigures),
		describeDownload(
			readFigures('download') as DownloadFigures,
			readFigures('makeAndDownload') as MakeAndDownloadFigures,
		),
		describePackages(readFigures('packages') as PackageFigures[]),
	].join('\n\n');
	await write(PERFORMANCE, performance);
}

async function writeSecurity(): Promise<void> {
	const hostile = readFigures('hostile') as HostileFigures[];
	await write(SECURITY, replaceBlock(readText(SECURITY), 'hostile', describeHostile(hostile)));
}

async function writeScaling(): Promise<void> {
	const queueMode = readFigures('queueMode', 'npm run test:e2e -- queueMode') as QueueModeFigures;
	const { poll, manyTriggers } = createScaleTables(readFigures('scale') as PollOfLogs[]);
	const blocks = {
		queueMode: describeQueueMode(queueMode),
		poll: drawTable(poll.rows),
		manyTriggers: describeManyTriggers(manyTriggers.rows),
	};
	let scaling = readText(SCALING);
	for (const [name, figures] of Object.entries(blocks)) {
		scaling = replaceBlock(scaling, name, figures);
	}
	await write(SCALING, scaling);
}

async function writeComparison(): Promise<void> {
	const figures = readFigures('compare') as CompareFigures;
	const text = replaceBlock(readText(COMPARISON), 'compare', describeCompare(figures));
	await write(COMPARISON, text);
}

function describeCompare({ batches, rows, ways }: CompareFigures): string {
	const row = (title: string, show: (way: CompareFigures['ways']['ours']) => number | string) =>
		`| ${title} | ${show(ways.ours)} | ${show(ways.http)} |`;
	return `| ${batches} batches with ${rows} rows | This node | HTTP Request |
| --- | --: | --: |
${[
	row('Rows with their own video', (way) => way.ownVideos),
	row("Rows with another row's video", (way) => way.wrongVideos),
	row('Rows paid', (way) => way.rowsPaid),
	row('Rows paid more than once', (way) => way.rowsPaidTwice),
	row('Seconds for each batch', (way) => Math.round(way.seconds / batches)),
	row('Nodes on the canvas', (way) => way.nodes),
].join('\n')}`;
}

async function write(file: string, text: string): Promise<void> {
	const options = await resolveConfig(file);
	writeFileSync(file, await format(text, { ...options, filepath: file }));
	console.log(`${file} is written.`);
}

function readText(file: string): string {
	return readFileSync(file, 'utf8');
}

/** @throws Error if the text lacks the two comments around the figures */
function replaceBlock(text: string, name: string, figures: string): string {
	const begin = `<!-- measured: ${name} -->`;
	const end = '<!-- end -->';
	const from = text.indexOf(begin);
	const to = text.indexOf(end, from);
	if (from === -1 || to === -1) throw new Error(`Nothing is marked with ${begin} and ${end}.`);
	return `${text.slice(0, from)}${begin}\n\n${figures}\n\n${text.slice(to)}`;
}

const INTRODUCTION = `# Performance

As \`npm run bench\` measures it. Times depend on the machine, so compare the ratios: both sides were measured in the same run, in turn.`;

function describeMachine(): string {
	const memoryGiB = Math.round(totalmem() / 1024 ** 3);
	return `Measured with ${cpus().length} processors and ${memoryGiB} GiB of memory (${platform()}, ${arch()}).`;
}

function describeItems(figures: ItemFigures[]): string {
	const mib = (value: number | undefined) => `${value ?? '?'} MiB`;
	const lines = figures.map(
		({ count, ratio, ratios, oursMs, httpMs, bareMs, oursOverMiB, httpOverMiB, bareOverMiB }) =>
			`- **${count} items**: ${oursMs} ms instead of ${httpMs} ms, **${ratio.toFixed(2)} times** (from ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}), and ${mib(oursOverMiB)} instead of ${mib(httpOverMiB)} of memory. Bare requests: ${bareMs} ms, ${mib(bareOverMiB)}`,
	);
	return `## Many items

**Queue > Get Progress** instead of n8n's **HTTP Request** node, in a real n8n, with a service that answers at once:

${lines.join('\n')}

Each ratio is the median of ${figures[0]?.ratios.length} pairs of runs. Memory is the peak over an idle n8n. Bare requests are those of a node that only calls n8n's own
function for signed requests, which most of the time and memory is for. HTTP Request also evaluates expressions of its own. ${describeLimit(figures)}`;
}

function describeLimit(figures: ItemFigures[]): string {
	const isReached = figures.every(({ ratio }) => ratio <= ITEMS_LIMIT);
	return `Our limit is ${ITEMS_LIMIT} times: ${isReached ? 'met' : 'not met'}.`;
}

function describeWait(figures: WaitFigures): string {
	const { items, shortestSeconds, longestSeconds, tookSeconds } = figures;
	return `## Waiting

One run queues ${items} videos of ${shortestSeconds} to ${longestSeconds} seconds and waits for them: ${tookSeconds.toFixed(1)} s, **${(tookSeconds - longestSeconds).toFixed(1)} s more than the slowest one**, with a **Listing Delay** of 10 s.
${figures.matched} of ${items} items got their video, with ${figures.looksPerItem.toFixed(1)} progress checks for each, and ${figures.logReads} requests for the list.`;
}

function describePoll(figures: PollFigures): string {
	const { logs, ratio, bareMs, idleRatio, keptMiB, stateBytes } = figures;
	return `## The trigger

One poll of an account with ${logs.toLocaleString('en')} finished videos, compared with n8n's bare request for the list (${Math.round(bareMs)} ms of processor time), takes
**${ratio.toFixed(2)} times** as long, and **${idleRatio.toFixed(2)} times** if nothing is new and the service sends an \`ETag\`.
Afterwards, it keeps ${keptMiB < 1 ? 'nothing' : `${keptMiB.toFixed(1)} MiB`} in memory, and ${Math.round(stateBytes / 1000)} kB in n8n's database.`;
}

function describeDownload(
	{ fileMiB, overMib }: DownloadFigures,
	many: MakeAndDownloadFigures,
): string {
	return `## Downloads

With n8n's binary data on disk, a file of ${fileMiB} MiB takes **${overMib} MiB of memory** over the idle engine.

One run that made ${many.items} videos of up to ${many.longestSeconds} seconds and downloaded their files of ${many.fileMiB} MiB each took ${many.tookSeconds.toFixed(1)} s, and
**${describeRange(many.overMib)} of memory**. With n8n's own helpers alone, the same files take ${describeRange(many.bareMib)}.`;
}

function describeRange(mib: number[]): string {
	return `${Math.min(...mib)} to ${Math.max(...mib)} MiB`;
}

function describePackages(figures: PackageFigures[]): string {
	const lines = figures.map(
		({ name, version, sizeKiB, loadMs }) =>
			`- **${name}** ${version}: ${sizeKiB} KiB, ${loadMs.toFixed(1)} ms`,
	);
	return `## The package

Its installed size and the time that n8n takes to load it, beside two other community packages:

${lines.join('\n')}`;
}

/** Describes the responses that take the most memory, and the maximum of all others. */
function describeHostile(figures: HostileFigures[]): string {
	const small = figures.filter(({ overMib }) => overMib <= NOTEWORTHY_MIB);
	const lines = figures
		.filter((each) => !small.includes(each))
		.map(({ name, seconds, overMib }) => `- **${name}**: ${overMib} MiB, ${seconds} s`);
	return `${lines.join('\n')}
- **the other ${small.length} responses**: at most ${Math.max(...small.map(({ overMib }) => overMib))} MiB

A bare request is n8n's own, without the node.`;
}

function describeQueueMode(figures: QueueModeFigures): string {
	// Each figure is followed by the peak of the process.
	const memory = (name: string) => String(figures[name]).split(',')[0];
	return `After ${figures['killed after']}, it kills one: ${figures.failed} of ${figures.executions} executions failed, and ${figures['adds sent and paid']} Adds were sent and paid. A worker took
${memory('idle memory, worker 1')} when idle, and ${memory('memory with all slots in use, worker 1')} with ${figures['concurrency of each worker']} waiting executions.`;
}

function describeManyTriggers(rows: Record<string, number>[]): string {
	const [least, ...others] = rows.map(
		(row) =>
			`${row['GB per minute']} GB a minute and ${row['busy cores']} processors with ${row.Videos?.toLocaleString('en')} videos`,
	);
	return `By these figures, ${WORKFLOWS.toLocaleString('en')} triggers that poll every minute need ${least},
and ${others.at(-1)}.`;
}

function drawTable(rows: Record<string, string | number>[]): string {
	const heads = Object.keys(rows[0] ?? {});
	const isNumber = (head: string) => rows.every((row) => typeof row[head] === 'number');
	const lines = rows.map((row) =>
		heads.map((head) => row[head]?.toLocaleString('en', { maximumSignificantDigits: 9 })),
	);
	const drawn = [heads, heads.map((head) => (isNumber(head) ? '--:' : '---')), ...lines];
	return drawn.map((cells) => `| ${cells.join(' | ')} |`).join('\n');
}

void main();
