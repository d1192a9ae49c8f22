import { readFileSync, writeFileSync } from 'node:fs';
import { arch, cpus, platform, totalmem } from 'node:os';
import { format, resolveConfig } from 'prettier';
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
const ITEMS_LIMIT = 0.6;

/** Writes every figure of the documents, out of what was measured last on this machine. */
async function main(): Promise<void> {
	for (const writeDocument of [writePerformance, writePayingOnce, writeSecurity, writeScaling]) {
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

\`npm run bench\` measures all of this, and \`npm run bench -- report\` writes this page of it, and the figures in
[paying once](paying-once.md), [security](security.md) and [scaling](scaling.md): none was typed. Times depend on the machine, so look at the ratios: both sides of each were
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
URL are set by functions. It runs its declared operations by itself, where n8n's routing would evaluate every
parameter twice for each item, and it reads a field that was dragged into a parameter from the item. What
is left for each item is n8n's look-up of the credential, and the request. ${describeLimit(figures)}`;
}

function describeLimit(figures: ItemFigures[]): string {
	const isReached = figures.every(({ ratio }) => ratio <= ITEMS_LIMIT);
	return `The limit is ${ITEMS_LIMIT} times HTTP Request: it is ${isReached ? 'kept' : 'missed'}.`;
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

function describeDownload(
	{ fileMiB, overMib, idleMib }: DownloadFigures,
	many: MakeAndDownloadFigures,
): string {
	return `## Downloads

A file of ${fileMiB} MiB takes **${overMib} MiB of memory** more than the idle engine (${idleMib} MiB), with n8n's binary
data on disk: it is streamed.

${many.items} videos of up to ${many.longestSeconds} seconds, queued, waited for and downloaded by one run of the node with **Download Video**, with
files of ${many.fileMiB} MiB: ${many.tookSeconds.toFixed(1)} s, and **${many.overMib} MiB of memory** more than the idle engine (${many.idleMib} MiB).`;
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

function describeLedger(figures: LedgerFigures[]): string {
	const themes = ['adds', 'adds and waits', 'calls of agents'];
	const rows = figures.map((each, index) => ({
		'random executions': themes[index] ?? '',
		number: each.executions,
		items: each.items,
		'adds sent': each.adds,
		'of unknown fate': each.unknownFates,
		'credits charged': each.charges,
		'videos handed on': each.videos,
		violations: each.violations,
	}));
	return drawTable(rows);
}

function describeHostile(figures: HostileFigures[]): string {
	const rows = figures.map(({ name, seconds, overMib, outcome }) => ({
		answer: name,
		seconds,
		'memory over the idle engine': `${overMib} MiB`,
		'what the user sees': outcome,
	}));
	return drawTable(rows);
}

function describeQueueMode(figures: QueueModeFigures): string {
	const rows = Object.entries(figures).map(([what, figure]) => ({ what, figure }));
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
