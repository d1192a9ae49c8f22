import { readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { format, resolveConfig } from 'prettier';
import type { CompareFigures, WayFigures } from './compare';
import type { DownloadFigures } from './download';
import type { HostileFigures } from './hostile';
import type { MakeAndDownloadFigures } from './makeAndDownload';
import type { ItemFigures } from './items';
import type { LedgerFigures } from '../engine/ledger/judgeStories';
import { readFigures } from './keepFigures';
import type { PackageFigures } from './packages';
import type { PollFigures } from './poll';
import type { PollOfLogs } from './scaleTables';
import { createScaleTables } from './scaleTables';
import type { WaitFigures } from './wait';

/** What a run in queue mode was like, by what each figure says. */
type QueueModeFigures = Record<string, string | number>;

const PERFORMANCE = 'docs/performance.md';
const SECURITY = 'docs/security.md';
const SCALING = 'docs/scaling.md';
const PAYING_ONCE = 'docs/paying-once.md';
const COMPARISON = 'docs/comparison.md';
const ITEMS_LIMIT = 0.6;

/** Writes every figure of the documents, out of what was measured last on this machine. */
async function main(): Promise<void> {
	const documents = [
		...[writePerformance, writePayingOnce, writeSecurity, writeScaling],
		writeComparison,
	];
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

async function writePayingOnce(): Promise<void> {
	const ledger = ['adds', 'waits', 'agents'].map((theme) =>
		readFigures(`ledger-${theme}`, 'npm run test:long'),
	) as LedgerFigures[];
	await write(PAYING_ONCE, replaceBlock(readText(PAYING_ONCE), 'ledger', describeLedger(ledger)));
}

async function writeSecurity(): Promise<void> {
	const hostile = readFigures('hostile') as HostileFigures[];
	await write(SECURITY, replaceBlock(readText(SECURITY), 'hostile', describeHostile(hostile)));
}

async function writeScaling(): Promise<void> {
	const queueMode = readFigures('queueMode', 'npm run test:e2e -- queueMode') as QueueModeFigures;
	const scale = createScaleTables(readFigures('scale') as PollOfLogs[]);
	let scaling = replaceBlock(readText(SCALING), 'queueMode', describeQueueMode(queueMode));
	for (const [name, { rows }] of Object.entries(scale)) {
		scaling = replaceBlock(scaling, name, drawTable(rows));
	}
	await write(SCALING, scaling);
}

async function writeComparison(): Promise<void> {
	const figures = readFigures('compare') as CompareFigures;
	const text = replaceBlock(readText(COMPARISON), 'compare', describeCompare(figures));
	await write(COMPARISON, text);
}

function describeCompare({ stories, items, ways }: CompareFigures): string {
	const row = (title: string, show: (way: WayFigures) => number | string) =>
		`| ${title} | ${show(ways.ours)} | ${show(ways.http)} |`;
	return `${stories} executions with ${items} items:

| | This node | HTTP Request |
| --- | --: | --: |
${[
	row('Items paid more than once', (way) => way.itemsPaidTwice),
	row('Credits wasted', (way) => way.creditsWasted),
	row('Queue IDs lost', (way) => way.idsLost),
	row('Items that got the wrong video', (way) => way.wrongVideos),
	row('Items that got their own video', (way) => way.videosGiven),
	row('Finished videos listed as candidates', (way) => way.videosListed),
	row('Finished videos that nobody got', (way) => way.videosMissed),
	row('Executions with the API key in their data', (way) => way.keysFound),
	row('Executions stopped after 45 seconds, still looping', (way) => way.neverEnded),
	row('Requests', (way) => way.requests),
	row('Time of an execution (median)', (way) => `${way.seconds.toFixed(1)} s`),
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

/** @throws Error when the text lacks the two comments between which the figures stand */
function replaceBlock(text: string, name: string, figures: string): string {
	const begin = `<!-- measured: ${name} -->`;
	const end = '<!-- end -->';
	const from = text.indexOf(begin);
	const to = text.indexOf(end, from);
	if (from === -1 || to === -1) throw new Error(`Nothing is marked with ${begin} and ${end}.`);
	return `${text.slice(0, from)}${begin}\n\n${figures}\n\n${text.slice(to)}`;
}

const INTRODUCTION = `# Performance

How fast the node is, and how much memory it needs. \`npm run bench\` measures it, and \`npm run bench -- report\` writes this
page and the measured tables of the others. Times depend on the machine, so compare the ratios: both sides of each were measured in
the same run, in turn.`;

function describeMachine(): string {
	const memoryGiB = Math.round(totalmem() / 1024 ** 3);
	return `Measured with ${cpus().length} processors and ${memoryGiB} GiB of memory (${platform()}, ${arch()}).`;
}

function describeItems(figures: ItemFigures[]): string {
	const rows = figures.map(
		({ count, ratio, oursMs, httpMs, axiosMs, oursOverMiB, httpOverMiB }) =>
			`| ${count} | **${ratio.toFixed(2)}** | ${oursMs} ms | ${httpMs} ms | ${Math.round(axiosMs)} ms | ${oursOverMiB ?? '?'} MiB | ${httpOverMiB ?? '?'} MiB |`,
	);
	const ranges = figures.map(
		({ ratios }) => `from ${Math.min(...ratios).toFixed(2)} to ${Math.max(...ratios).toFixed(2)}`,
	);
	return `## Many items

**Queue > Get Progress** for many items, and the same requests with n8n's **HTTP Request** node and the same credential, in a real
n8n, each node in its own workflow. The service answers at once. "Axios alone" is the same requests without n8n. Memory is the peak
over an idle n8n.

| Items | Our time / HTTP Request | Our time | HTTP Request | Axios alone | Our memory | HTTP Request's memory |
| --: | --: | --: | --: | --: | --: | --: |
${rows.join('\n')}

The ratio is the median of ${figures[0]?.ratios.length} pairs of runs: ${ranges.join(', and ')}.

n8n spends most of its time on expressions. The node has none of its own, and doesn't evaluate a parameter twice for an
item, as n8n's routing would. ${describeLimit(figures)}`;
}

function describeLimit(figures: ItemFigures[]): string {
	const isReached = figures.every(({ ratio }) => ratio <= ITEMS_LIMIT);
	return `Our limit is ${ITEMS_LIMIT} times the HTTP Request node: ${isReached ? 'met' : 'not met'}.`;
}

function describeWait(figures: WaitFigures): string {
	const { items, shortestSeconds, longestSeconds, tookSeconds, sumSeconds } = figures;
	return `## Waiting

One run of the node queues ${items} videos of ${shortestSeconds} to ${longestSeconds} seconds and waits for them: ${tookSeconds.toFixed(1)} s, **${(tookSeconds / longestSeconds).toFixed(2)} times the
slowest one**. One after another, they would take ${sumSeconds.toFixed(0)} s. ${figures.matched} of ${items} got their entry of the video log, with ${figures.looksPerItem.toFixed(1)} progress checks
for each item, and ${figures.logReads} requests for the list of videos in all.`;
}

function describePoll(figures: PollFigures): string {
	const { logs, ratio, bareMs, pollMs, unchangedRatio, idleRatio, keptMiB, stateBytes } = figures;
	return `## The trigger

One poll of an account with ${logs.toLocaleString('en')} finished videos, beside n8n's bare request for the list (${Math.round(bareMs)} ms of processor time):

| Poll | Time / bare request |
| --- | --: |
| with a new video (${Math.round(pollMs)} ms) | **${ratio.toFixed(2)}** |
| nothing new | **${unchangedRatio.toFixed(2)}** |
| nothing new, and the service sends an \`ETag\` | **${idleRatio.toFixed(2)}** |

Afterwards, it keeps ${keptMiB < 1 ? 'nothing' : `${keptMiB.toFixed(1)} MiB`} in memory, and ${Math.round(stateBytes / 1000)} kB in n8n's database.`;
}

function describeDownload(
	{ fileMiB, overMib, idleMib }: DownloadFigures,
	many: MakeAndDownloadFigures,
): string {
	return `## Downloads

A file of ${fileMiB} MiB takes **${overMib} MiB of memory** over the idle engine (${idleMib} MiB), with n8n's binary data on disk.

With **Download Video**, one run of the node queued ${many.items} videos of up to ${many.longestSeconds} seconds, waited for them and downloaded
their files of ${many.fileMiB} MiB each: ${many.tookSeconds.toFixed(1)} s, and **${many.overMib} MiB of memory** over the idle engine (${many.idleMib} MiB).`;
}

function describePackages(figures: PackageFigures[]): string {
	const rows = figures.map(
		({ name, version, sizeKiB, loadMs }) =>
			`| ${name} | ${version} | ${sizeKiB} KiB | ${loadMs.toFixed(1)} ms |`,
	);
	return `## The package

The installed size, and the time that n8n takes to load the package once when it starts, beside two other community packages.

| Package | Version | Size | Load time |
| --- | --- | --: | --: |
${rows.join('\n')}`;
}

function describeLedger(figures: LedgerFigures[]): string {
	const themes = ['adds', 'adds and waits', 'agent calls'];
	const rows = figures.map((each, index) => ({
		'random executions': themes[index] ?? '',
		number: each.executions,
		items: each.items,
		'adds sent': each.adds,
		'maybe accepted': each.unknownFates,
		'credits charged': each.charges,
		'videos returned': each.videos,
		violations: each.violations,
	}));
	return drawTable(rows);
}

function describeHostile(figures: HostileFigures[]): string {
	const rows = figures.map(({ name, seconds, overMib, outcome }) => ({
		response: name,
		seconds,
		'extra memory': `${overMib} MiB`,
		'what the user sees': outcome,
	}));
	return drawTable(rows);
}

function describeQueueMode(figures: QueueModeFigures): string {
	const rows = Object.entries(figures).map(([what, figure]) => ({ measurement: what, figure }));
	return `${describeMachine()}\n\n${drawTable(rows)}`;
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
