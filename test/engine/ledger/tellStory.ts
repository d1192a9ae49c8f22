import type { Violation } from './invariants';
import type { Ledger } from './Ledger';
import { isAgent } from './Story';
import type { PlayedAdd } from './Scene';
import type { StoryExecution, StoryVideo } from './Story';
import { PLAIN_VIDEO } from './Story';
import type { Fate } from './fates';
import { describeSocketTrouble } from './Scene';
import { describeFault, READ_TROUBLES } from './troubles';

/**
 * Describes a play to a person: the items, the settings, the service, the payments, and the output.
 */
export function tellStory(ledger: Ledger, violations: Violation[]): string {
	const { story } = ledger;
	return [
		...violations.flatMap(({ invariant, cases }) => [
			`${invariant} does not hold:`,
			...cases.slice(0, 5).map((text) => `  - ${text}`),
		]),
		'',
		...story.executions.flatMap((execution, index) => tellExecution(execution, index)),
		'The service:',
		...tellService(ledger).map((line) => `  ${line}`),
		...story.clockIsSet.map(
			({ afterMs, byMs }) =>
				`After ${afterMs / 1000} s this machine's clock is set by ${byMs / 1000} s.`,
		),
		...(story.stopAfterMs === null
			? []
			: [`After ${story.stopAfterMs / 1000} s Stop is pressed on execution 1.`]),
		'What the service wrote down:',
		...tellRequests(ledger).map((line) => `  ${line}`),
		'What came out:',
		...tellOutcomes(ledger).map((line) => `  ${line}`),
		'The story as JSON:',
		`  ${JSON.stringify(story)}`,
	].join('\n');
}

function tellExecution(execution: StoryExecution, index: number): string[] {
	const { items, way, onError, tries, waiting, promptEnd } = execution;
	const settings = [
		execution.operation,
		way === 'items' ? 'the node over its items' : way,
		execution.protocol === 'https' ? 'over HTTPS' : '',
		`On Error ${onError}`,
		tries > 1 ? `Retry On Fail with ${tries} tries` : '',
		waiting === 'none'
			? 'no waiting'
			: `waiting (${waiting}) with ${JSON.stringify(execution.waitOptions)}`,
		waiting !== 'none' && execution.downloadVideo ? 'with the file' : '',
		execution.startsAfterMs === null ? '' : `${execution.startsAfterMs} ms after the one before`,
		execution.killedAfterMs === null ? '' : `killed after ${execution.killedAfterMs} ms`,
		execution.uniqueKey === null ? '' : `Unique Key ${execution.uniqueKey}`,
		execution.creditsToKeep === null ? '' : `Credits to Keep ${execution.creditsToKeep}`,
		execution.creditsPerVideo === null ? '' : `Credits per Video ${execution.creditsPerVideo}`,
		waiting === 'wait' && !execution.waitKnowsProject ? 'without the project' : '',
		promptEnd === '' ? '' : `prompts end with ${promptEnd}`,
		execution.executeOnce ? 'Execute Once' : '',
		execution.batchSize !== 0
			? `batches of ${execution.batchSize} every ${execution.batchIntervalMs} ms`
			: '',
		execution.requestTimeout === null ? '' : `Timeout ${JSON.stringify(execution.requestTimeout)}`,
		execution.maxTries === null ? '' : `Max Tries ${execution.maxTries}`,
		isAgent(execution) ? `${execution.callsAtOnce} calls at once` : '',
	];
	return [
		`Execution ${index + 1}: ${settings.filter(Boolean).join(', ')}`,
		...items.map(
			(item, i) =>
				`  item ${i}: account ${item.account}, project ${item.project}, prompt ${JSON.stringify(item.prompt)}` +
				(execution.uniqueKey === null ? '' : `, key ${JSON.stringify(item.key)}`) +
				(execution.creditsToKeep === '$json.keep' ? `, keep ${JSON.stringify(item.keep)}` : '') +
				(execution.creditsPerVideo === null ? '' : `, cost ${JSON.stringify(item.cost)}`) +
				(item.overwriteSettings === false
					? ''
					: `, overwrite ${JSON.stringify(item.overwriteSettings)}`) +
				(item.address === 'service' ? '' : `, its Base URL is ${item.address}`),
		),
		...execution.retries.map(
			({ afterMs, change }) =>
				`  ${afterMs / 1000} s after it failed, Executions > Retry is pressed, with ${change ? `a workflow that was changed: ${JSON.stringify(change)}` : 'the original workflow'}`,
		),
	];
}

function tellService({ story, adds, videos: accepted }: Ledger): string[] {
	const { addTroubles, clearTroubles, videos, logTroubles, fileTroubles, ...others } =
		story.service;
	const { strangers, history, ...settings } = others;
	const { failingCalls, delayMs, keys } = story.keyStore;
	const special = Object.entries(settings).filter(
		([, value]) => value !== false && value !== null && value !== 0,
	);
	return [
		...addTroubles
			.filter(({ nth }) => nth <= adds.length)
			.map(({ nth, fault }) => `add ${nth}: ${describeFault(fault)}`),
		...clearTroubles.map(({ nth, fault }) => `clear ${nth}: ${describeFault(fault)}`),
		...story.socketTroubles.map(
			(trouble) =>
				`${trouble.operation} ${trouble.nth} from here: ${describeSocketTrouble(trouble)}`,
		),
		...story.n8nTroubles.map(
			({ part, afterRequests, nth, count }) =>
				`n8n's ${part} fails from use ${nth} after request ${afterRequests} on, ${count} times`,
		),
		...videos.slice(0, accepted.length).flatMap((video, index) => tellVideo(video, index)),
		...logTroubles.map(
			({ nth, trouble }) =>
				`reading ${nth} of the log: ${describeFault(READ_TROUBLES[trouble].fault)}`,
		),
		...fileTroubles.map(
			({ nth, trouble }) => `download ${nth}: ${describeFault(READ_TROUBLES[trouble].fault)}`,
		),
		...strangers.map(
			({ account, project, addedAfterMs, runsMs, logDelayMs }) =>
				`a stranger's video of account ${account}, project ${project}: from ${addedAfterMs / 1000} s on, for ${runsMs / 1000} s, ${logDelayMs === null ? 'never in the log' : `in the log ${logDelayMs / 1000} s later`}`,
		),
		...history.map(
			({ account, project, createdAt, vanishesAfterMs, returnsAfterMs }) =>
				`an entry of account ${account}, project ${String(project)}, from "${createdAt}"${vanishesAfterMs === null ? '' : `: vanishes after ${vanishesAfterMs / 1000} s, for ${returnsAfterMs / 1000} s`}`,
		),
		...(failingCalls.length > 0
			? [`the store of keys: calls ${failingCalls.join(', ')} fail`]
			: []),
		...(delayMs > 0 ? [`the store of keys: each call takes ${delayMs} ms`] : []),
		...(keys > 0 ? [`the store of keys: ${keys} other keys`] : []),
		...special.map(([name, value]) => `${name}: ${JSON.stringify(value)}`),
	];
}

function tellVideo(video: StoryVideo, index: number): string[] {
	if (JSON.stringify(video) === JSON.stringify(PLAIN_VIDEO)) return [];
	const { runsMs, ending, logDelayMs, aheadMs, calledFailedAt, clearedAfterMs, lookTrouble } =
		video;
	const parts = [
		`video ${index + 1}: "${ending}" after ${runsMs / 1000} s`,
		logDelayMs > 0 ? `in the log ${logDelayMs / 1000} s later` : '',
		aheadMs > 0 ? `in the log ${aheadMs / 1000} s before` : '',
		calledFailedAt === null ? '' : `called failed at look ${calledFailedAt}`,
		clearedAfterMs === null ? '' : `cleared by somebody after ${clearedAfterMs / 1000} s`,
		lookTrouble === null
			? ''
			: `looks from ${lookTrouble.nth} on, ${lookTrouble.count} times: ${describeFault(READ_TROUBLES[lookTrouble.trouble].fault)}`,
	];
	return [parts.filter(Boolean).join(', ')];
}

const FATES: Record<Fate, string> = {
	unsent: 'it never left',
	refused: 'its client was refused',
	told: 'its client was told the id',
	unknown: 'its client cannot know',
	unreadable: 'its client may have been told the id',
};

/** Lists the requests, except progress requests that ended like the one before for that item. */
function tellRequests({ requests, adds, startedAt, videos }: Ledger): string[] {
	const ends = new Map<string, string>();
	const isElsewhere = ({ request }: PlayedAdd) => request === undefined;
	const lost = adds.filter(isElsewhere).map((add) => tellAdd(add, startedAt, 'did not arrive'));
	const arrived = requests.flatMap((request) => {
		const add = adds.find((one) => one.request === request);
		const at = `${((request.at - startedAt) / 1000).toFixed(1)} s`;
		const end = request.closed ? 'the client went away' : `status ${request.status ?? 'none'}`;
		if (add) return [tellAdd(add, startedAt, end)];
		const line = `${request.method} ${request.url}: ${end}`;
		if (ends.get(request.url) === end && request.operation === 'queue.getProgress') return [];
		ends.set(request.url, end);
		const video = videos.find(({ charge }) => request.url.includes(charge.queueId));
		return [`${at} ${line}${video?.plan.fails ? ' (it fails)' : ''}`];
	});
	return [...arrived, ...lost];
}

function tellAdd({ at, body, trouble, charge, fate }: PlayedAdd, startedAt: number, end: string) {
	const { customPrompt, projectId } = body;
	const prompt = customPrompt === undefined ? 'without a prompt' : JSON.stringify(customPrompt);
	const paid = charge ? `paid as ${charge.queueId}, video ${charge.videoId}` : 'nothing is paid';
	const when = ((at - startedAt) / 1000).toFixed(1);
	return `${when} s add ${prompt} to ${JSON.stringify(projectId)}: ${trouble ?? end}; ${paid}; ${FATES[fate]}`;
}

function tellOutcomes(ledger: Ledger): string[] {
	const { executions, outcomes, startedAt, left, logLines, videos } = ledger;
	// A real n8n has one log for all stories.
	const isOwn = (line: string) => videos.some(({ charge }) => line.includes(charge.queueId));
	return [
		...executions.flatMap(({ attempts }, index) =>
			attempts.map(
				({ startedAt: from, endedAt, status, passes }, number) =>
					`execution ${index + 1}, ${number === 0 ? 'the original' : `retry ${number}`}: ${status}, from ${(from - startedAt) / 1000} to ${(endedAt - startedAt) / 1000} s, tries: ${passes.map(({ node }) => node).join(', ')}`,
			),
		),
		...executions.map(({ run, endedAt, isStopped }, index) => {
			const { error } = run?.data.resultData ?? {};
			const text = error ? `: ${error.message} ${error.description ?? ''}` : '';
			const when = `after ${((endedAt - startedAt) / 1000).toFixed(1)} s`;
			return `execution ${index + 1} ${isStopped ? 'was stopped and ' : ''}is ${run?.status ?? 'without an end'} ${when}${text}`;
		}),
		...outcomes.map(
			({ execution, node, run, item, json }) =>
				`execution ${execution + 1}, ${node}, run ${run}, item ${String(item)}: ${shorten(JSON.stringify(json))}`,
		),
		...(left.timers > 0 ? [`${left.timers} timers are left`] : []),
		...logLines.filter(isOwn).map((line) => `n8n's log: ${line}`),
	];
}

function shorten(text: string): string {
	return text.length > 900 ? `${text.slice(0, 900)}…` : text;
}
