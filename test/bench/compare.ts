/**
 * Plays the same random executions with the same faults in one real n8n: once with our node, once
 * with the HTTP Request, Wait and IF nodes of n8n's templates. The results are judged by the
 * records of the service.
 */
import type { IDataObject } from 'n8n-workflow';
import type { Ledger } from '../engine/ledger/Ledger';
import { openLedger } from '../engine/ledger/Ledger';
import { ADD_NODE } from '../engine/ledger/parameters';
import type { Play } from '../engine/ledger/Scene';
import { toText } from '../../nodes/VideoGeneration/api/response';
import { sampleStories } from '../engine/ledger/stories';
import { EMPTY_KEY_STORE } from '../engine/ledger/Story';
import type { Story, StoryExecution } from '../engine/ledger/Story';
import { tellStory } from '../engine/ledger/tellStory';
import { isListedAsAssumed } from '../engine/ledger/waitInvariants';
import { KeySearch } from '../support/e2e/KeySearch';
import { playInN8n, shorten } from '../support/e2e/playInN8n';
import { RealN8n } from '../support/e2e/RealN8n';
import { buildHttpRequestLoop, LIMIT_SECONDS, RESULT_NODE } from './httpRequestLoop';
import { keepFigures } from './keepFigures';
import { median } from './median';

const STORIES = Number(process.env.STORIES ?? 40);
const SEED = 15;
const AT_ONCE = 8;

/** The results of the stories, for each way to run them. */
export interface CompareFigures {
	stories: number;
	items: number;
	ways: Record<'ours' | 'http', WayFigures>;
}

export interface WayFigures {
	nodes: number;
	/** Items that were paid more than once, and the credits that this cost. */
	itemsPaidTwice: number;
	creditsWasted: number;
	/** Queue IDs that the service sent, but that are neither in the execution nor in n8n's log. */
	idsLost: number;
	/** Items that received another item's video. */
	wrongVideos: number;
	/** Those of them in executions whose list was as the node assumes. */
	wrongVideosAsAssumed: number;
	/** Executions whose list showed a video earlier or later than the node assumes. */
	notAsAssumed: number;
	/**
	 * Finished videos that are among several candidates, because the service does not say which item
	 * they belong to.
	 */
	videosListed: number;
	/** Finished videos that neither reached their item nor are among the candidates. */
	videosMissed: number;
	/** Executions whose data contains the API key. */
	keysFound: number;
	/** Executions that ended only at their time limit. */
	neverEnded: number;
	/** Videos that reached their item. */
	videosGiven: number;
	requests: number;
	/** The median of all executions. */
	seconds: number;
}

async function main(): Promise<void> {
	const stories = sampleStories('waits', SEED, 4 * STORIES)
		.filter(hasDefaultDelay)
		.slice(0, STORIES)
		.map(simplify)
		.map(slowDown);
	const n8n = RealN8n.create('bench-compare');
	try {
		await n8n.start();
		const ours = await playAll(n8n, stories, 1, undefined);
		const http = await playAll(n8n, stories, 1 + stories.length, buildHttpRequestLoop);
		const figures: CompareFigures = {
			stories: stories.length,
			items: stories.flatMap(({ executions }) => executions.flatMap(({ items }) => items)).length,
			ways: {
				ours: { nodes: 1, ...summarize(ours, ADD_NODE) },
				http: { nodes: 6, ...summarize(http, RESULT_NODE) },
			},
		};
		keepFigures('compare', figures);
		console.log(`${figures.stories} executions, ${figures.items} items`);
		console.table(figures.ways);
		for (const [index, ledger] of ours.entries()) {
			const lines = tellVideos(ledger);
			if (lines.length === 0) continue;
			const list = isListedAsAssumed(ledger) ? 'as assumed' : 'not as assumed';
			console.log(`Story ${index} of seed ${SEED}, whose list is ${list}:`);
			console.log([...lines, tellStory(ledger, [])].join('\n'));
		}
	} finally {
		await n8n.stop();
	}
}

/**
 * Limits a story to the settings that both ways have: one account, a separate prompt for every
 * item, n8n's own settings. The service and the network behave as in the ledger's stories.
 */
function simplify({ executions, service }: Story): Story {
	const [first] = executions as [StoryExecution];
	return {
		...{ clockIsSet: [], stopAfterMs: null, socketTroubles: [], n8nTroubles: [] },
		keyStore: EMPTY_KEY_STORE,
		service: { ...service, credits: null, fileTroubles: [], oddEntries: false },
		executions: [
			{
				...first,
				...{ way: 'items', waiting: 'add', waitSwitch: true, downloadVideo: false },
				...{ executeOnce: false, creditsToKeep: null, batchSize: 0 },
				...{ requestTimeout: null, maxTries: null, tries: 3, protocol: 'http', retries: [] },
				onError: first.onError === 'stopWorkflow' ? 'stopWorkflow' : 'continueErrorOutput',
				items: first.items.map((item, index) => ({
					...{ ...item, account: 0, overwriteSettings: true, address: 'service' },
					prompt: `Film ${index + 1}`,
				})),
			},
		],
	};
}

/** Whether the list lags as long as the default of Listing Delay allows: both ways run with defaults. */
function hasDefaultDelay({ executions }: Story): boolean {
	return executions[0]?.waitOptions.listingDelay === undefined;
}

/** Makes a story slow enough that not all of its videos finish at the same moment. */
function slowDown(story: Story): Story {
	const shorter = shorten(story, { factor: 2 });
	const executions = shorter.executions.map((execution) => ({
		...execution,
		waitOptions: { pollingInterval: 1, timeout: LIMIT_SECONDS - 5 },
	}));
	return { ...shorter, executions };
}

type Build = typeof buildHttpRequestLoop | undefined;

async function playAll(
	n8n: RealN8n,
	stories: Story[],
	firstSeed: number,
	build: Build,
): Promise<Ledger[]> {
	const ledgers: Ledger[] = [];
	const rest = stories.entries();
	const worker = async () => {
		for (const [index, story] of rest) {
			const { finish } = await playInN8n(n8n, story, firstSeed + index, build);
			ledgers[index] = openLedger(await finish());
		}
	};
	await Promise.all(Array.from({ length: AT_ONCE }, worker));
	return ledgers;
}

function summarize(ledgers: Ledger[], node: string): Omit<WayFigures, 'nodes'> {
	const sum = (count: (ledger: Ledger) => number) =>
		ledgers.reduce((total, ledger) => total + count(ledger), 0);
	const paidTwice = ({ groups }: Ledger) =>
		[...groups.values()].filter(({ orders, videos }) => videos.length > orders.length);
	return {
		itemsPaidTwice: sum((ledger) => paidTwice(ledger).length),
		creditsWasted: sum((ledger) =>
			paidTwice(ledger).reduce((all, { videos, orders }) => all + videos.length - orders.length, 0),
		),
		idsLost: sum(countLostIds),
		wrongVideos: sum((ledger) => listWrong(ledger, node).length),
		wrongVideosAsAssumed: sum((ledger) =>
			isListedAsAssumed(ledger) ? listWrong(ledger, node).length : 0,
		),
		notAsAssumed: sum((ledger) => (isListedAsAssumed(ledger) ? 0 : 1)),
		videosListed: sum(
			(ledger) => listNotGiven(ledger, node).filter((id) => isCandidate(ledger, id)).length,
		),
		videosMissed: sum((ledger) => listMissed(ledger, node).length),
		keysFound: sum((ledger) => (holdsKey(ledger) ? 1 : 0)),
		neverEnded: sum(({ executions }) => (executions.some(({ run }) => isTimedOut(run)) ? 1 : 0)),
		videosGiven: sum((ledger) => listResults(ledger, node).filter(({ isOwn }) => isOwn).length),
		requests: sum(({ requests }) => requests.length),
		seconds: median(ledgers.map(getSeconds)),
	};
}

function holdsKey({ keys, texts }: Ledger): boolean {
	const searches = keys.map((key) => new KeySearch(key));
	return texts.flat().some(({ text }) => searches.some((search) => search.isIn(text)));
}

function getSeconds({ executions, startedAt }: Ledger): number {
	return ((executions[0]?.endedAt ?? NaN) - startedAt) / 1000;
}

function countLostIds({ adds, texts, logLines }: Ledger): number {
	const all = [...texts.flat().map(({ text }) => text), ...logLines];
	return adds.filter(
		({ fate, charge }) =>
			fate === 'told' && charge && !all.some((text) => text.includes(charge.queueId)),
	).length;
}

interface Result {
	json: IDataObject;
	ownId: string | undefined;
	isOwn: boolean;
	isWrong: boolean;
}

/** Returns the items of the node that ends the way, and whether each has its own video. */
function listResults({ executions, videos }: Ledger, node: string): Result[] {
	const tasks = executions[0]?.run?.data.resultData.runData[node] ?? [];
	const items = tasks.flatMap(({ data }) => (data?.main ?? []).flatMap((output) => output ?? []));
	return items.map(({ json }) => {
		// An address alone counts as a video, too: the log may show its entry later.
		const address = toText(json.videoUrl) || (json.video as { url?: string } | null)?.url;
		const ownId = videos.find(({ charge }) => charge.queueId === toText(json.queueId))?.charge
			.videoId;
		const isOwn = ownId !== undefined && address?.includes(ownId) === true;
		return { json, ownId, isOwn, isWrong: Boolean(address) && !isOwn };
	});
}

function listWrong(ledger: Ledger, node: string): Result[] {
	return listResults(ledger, node).filter(({ isWrong }) => isWrong);
}

/** Returns the IDs of the finished videos that did not reach their item. */
function listNotGiven(ledger: Ledger, node: string): string[] {
	const given = new Set(
		listResults(ledger, node)
			.filter(({ isOwn }) => isOwn)
			.map(({ json }) => toText(json.queueId)),
	);
	const endedAt = ledger.executions[0]?.endedAt ?? 0;
	return ledger.videos
		.filter(({ loggedAt }) => loggedAt !== null && loggedAt <= endedAt)
		.filter(({ charge }) => !given.has(charge.queueId))
		.map(({ charge }) => charge.videoId);
}

function listMissed(ledger: Ledger, node: string): string[] {
	return listNotGiven(ledger, node).filter((id) => !isCandidate(ledger, id));
}

/** Describes each wrong video, and each finished one that nobody got. */
function tellVideos(ledger: Ledger): string[] {
	const wrong = listWrong(ledger, ADD_NODE).map(({ json, ownId = 'none' }) => {
		const { queueId, videoUrl } = json;
		return `${toText(queueId)} received ${toText(videoUrl)}, its own video is ${ownId}.`;
	});
	const missed = listMissed(ledger, ADD_NODE).map((id) => {
		const add = ledger.adds.find(({ charge }) => charge?.videoId === id);
		return `Nobody got the video ${id}: the fate of its add is ${add?.fate ?? 'no add'}.`;
	});
	return [...wrong, ...missed];
}

function isCandidate({ texts }: Ledger, id: string): boolean {
	return texts.flat().some(({ path, text }) => path.includes('videoCandidates') && text === id);
}

function isTimedOut(run: Play['executions'][number]['run']): boolean {
	return run?.status === 'canceled';
}

void main();
