import { stringify } from 'flatted';
import type { IDataObject } from 'n8n-workflow';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { LISTING_DELAY } from '../support/engine/OPERATIONS';
import {
	generates,
	getSlowMs,
	getStopMs,
	getWaitOptions,
	isAdd,
	isGuarded,
	isLimited,
	isOn,
	isUnique,
	isUsable,
	stops,
	toKey,
	toNumber,
	TROUBLE_FREE,
	type Workflow,
} from './Plan';
import {
	type Add,
	groupBy,
	hasMistakes,
	isStopped,
	type Law,
	LIST_MS,
	Records,
	showAll,
} from './records';
import { CHANGED_KEY, DATABASE_ERROR, type Played, type Session } from './Session';
import { hasComeAgain, isCalm, VIDEO_LAWS } from './videoLaws';

/** A request that is being sent when a run fails arrives within this time: the clock goes on meanwhile. */
const UNDER_WAY_MS = 10;

const RAW =
	/Cannot (read|destructure|convert|set)|is not (a function|iterable)|\bundefined\b|\bNaN\b|\[object |\bERR_(?!SSL|TLS)[A-Z]|\bHPE_[A-Z]+|^\s+at .+:\d+/m;

/** The adds of each order, with the number of times that it was ordered. */
function groupAdds({ adds }: Records): [name: string, adds: Add[], ordered: number][] {
	const groups = groupBy(adds, ({ played: { chain, workflow }, row }) => {
		if (isUnique(workflow)) return `key ${toKey(workflow.rows[row]?.key)}`;
		return `${workflow.model?.insists ? 'the wish' : `row ${row}`} of execution ${chain}`;
	});
	return groups.map(([name, all]) => {
		const { model, rows } = all[0].played.workflow;
		const same = rows.filter(({ prompt }) => prompt === rows[all[0].row]?.prompt);
		return [name, all, model ? same.length : 1];
	});
}

/** Whether nothing went wrong in an execution, nor in the reads of the others. */
function isTroubleFree({ plan, played: all }: Records, played: Played): boolean {
	const { execution, workflow } = played;
	if (execution === TROUBLE_FREE) return true;
	return (
		isCalm(played) &&
		execution.faults.length + execution.failing.keys.length === 0 &&
		execution.killAfterMs === undefined &&
		!Number.isFinite(getStopMs(execution)) &&
		plan.credits === 1_000 &&
		all.every((each) => each.workflow === workflow || isCalm(each))
	);
}

/** What an execution in which nothing goes wrong must make of a row. */
function expectRow(records: Records, row: number, played: Played) {
	const { plan, session } = records;
	const { chain, workflow } = played;
	const { isAway, key, ...ordered } = workflow.rows[row] ?? {};
	if (!isUsable(workflow, { ...ordered, key })) return 'failure';
	if (records.isUnknown(row, played)) return 'failure';
	if (isUnique(workflow)) {
		const isShared = workflow.rows.filter((each) => toKey(each.key) === toKey(key)).length > 1;
		// A key can stay taken where n8n was killed or stopped, or could not free it.
		const isHeld = records.played.some(
			(each) =>
				each.workflow === workflow &&
				(each.chain !== chain ||
					each.execution.failing.keys.length > 0 ||
					!each.result ||
					isStopped(each)),
		);
		// A row whose key is done is left out, wherever its service is.
		if (isShared || isHeld) return 'either';
	}
	if (isAway === true) return 'failure';
	if (isLimited(workflow)) return 'either';
	if (workflow.parameters.operation === 'add') return 'success';
	const charge = records.findOwn(row, played);
	// Its add must be sent.
	if (charge === undefined && generates(workflow)) return 'success';
	const since = generates(workflow) ? charge?.at : played.startedAt;
	const isSure =
		charge !== undefined &&
		since !== undefined &&
		!hasMistakes(plan, charge) &&
		!hasComeAgain(records, charge, played) &&
		// A list that leads may show the video of an item that fails.
		!session.failing.has(charge) &&
		!session.cleared.has(charge) &&
		plan.service.endedItemsLeaveAfterMs === null &&
		workflow.parameters.downloadVideo !== true &&
		records.isInTime(workflow, charge, since);
	return isSure ? 'success' : 'either';
}

/** Whether an earlier round of a loop has a row's key. */
const isAnotherRound = (row: number, workflow: Workflow) =>
	workflow.perRound !== undefined &&
	isUnique(workflow) &&
	workflow.rows.slice(0, row).some(({ key }) => toKey(key) === toKey(workflow.rows[row]?.key));

/** Whether the video of a row's key has come out of an earlier execution. */
function isDone({ outputs, played: all }: Records, row: number, until: Played): boolean {
	const { workflow } = until;
	const getKey = (index: number) => toKey(workflow.rows[index]?.key);
	const earlier = all
		.slice(0, all.indexOf(until))
		.filter((each) => each.workflow === workflow)
		// What a round of a loop has made has come out, whatever becomes of the next one.
		.filter(({ result }) => result?.status === 'success' || workflow.perRound !== undefined);
	return outputs
		.filter(({ fields, played }) => earlier.includes(played) && Boolean(fields.videoUrl))
		.some((output) => isUnique(workflow) && getKey(output.row) === getKey(row));
}

/** The execution of an add with its retries; of ways in which calls share none, all of them. */
const nameExecution = ({ played: { chain, workflow } }: Add) =>
	workflow.model && !['tool', 'steps'].includes(workflow.model.way) ? 'calls' : String(chain);

const ADD_LAWS: Record<string, Law> = {
	'An order is paid once, and sent again only after a refusal': (records) =>
		groupAdds(records).flatMap(([name, all, ordered]) => {
			let left = ordered;
			const isSentTooOften = all.some(({ fate }) => {
				if (left === 0) return true;
				if (fate === 'told') left -= 1;
				if (fate === 'unknown') left = 0;
				return false;
			});
			return isSentTooOften ? [`${name}: ${all.map(({ fate }) => fate).join(', ')}`] : [];
		}),

	'The service receives what was ordered': ({ adds, session }) =>
		adds.flatMap(({ row, body, authorization, played }) => {
			const { workflow, execution } = played;
			const ordered = workflow.rows[row] ?? {};
			const { account, prompt, overwrite } = ordered;
			const isMeant = [
				isUsable(workflow, ordered),
				(body.customPrompt ?? '').startsWith(String((prompt as string | number | undefined) ?? '')),
				(body.overwriteSettings ?? false) === isOn(overwrite),
				execution.changesKey || authorization === `Bearer ${session.keys[account as number] ?? ''}`,
			];
			return isMeant.every(Boolean) ? [] : [JSON.stringify(body)];
		}),

	'A queue ID that was received is shown by the execution and its retries; one that cannot be kept, at least in the log':
		(records) =>
			records.adds.flatMap(({ showsQueueItem, queueId = '', played }) => {
				const isLogged = records.session.logLines.some((line) => line.includes(queueId));
				// n8n saves a stopped execution before the node can answer.
				if (!showsQueueItem || (isLogged && (isStopped(played) || !records.keepsIds))) return [];
				return records.played
					.filter((each) => each.result && records.isUpTo(each, played))
					.filter((each) => !showAll(each).includes(queueId) && !(isStopped(each) && isLogged))
					.map(() => queueId);
			}),

	'It is said exactly then that a video may have been queued': (records) => {
		const wrong = records.outputs.filter(
			({ fields, isFailed, played, row }) =>
				isFailed &&
				isAdd(played.workflow) &&
				!played.workflow.model &&
				!isStopped(played) &&
				fields.mayBeQueued !== records.isUnknown(row, played),
		);
		const unsaid = records.ended.filter((played) => {
			const isSaid = /may have been queued/i.test(showAll(played));
			return isSaid !== played.workflow.rows.some((_, row) => records.isUnknown(row, played));
		});
		return [...wrong.map(({ json }) => JSON.stringify(json)), ...unsaid.map(showAll)];
	},

	'A node set to stop sends nothing beside an unusable item, and nothing after an unknown fate': ({
		adds,
		played: all,
	}) =>
		all.flatMap((played) => {
			const { workflow } = played;
			if (!stops(workflow) || workflow.settings.executeOnce) return [];
			const own = adds.filter((add) => add.played === played);
			const broken = workflow.rows.findIndex((each) => !isUsable(workflow, each));
			const { perRound = Infinity } = workflow;
			const toRound = (row: number) => Math.floor(row / perRound);
			const beside = broken < 0 ? [] : own.filter(({ row }) => toRound(row) >= toRound(broken));
			const lost = own.findIndex(({ fate }) => fate === 'unknown');
			// Videos of other projects are made side by side, so their adds may be under way.
			const isAfter = ({ body, row }: Add) =>
				row > (own[lost]?.row ?? 0) &&
				(!generates(workflow) || body.projectId === own[lost]?.body.projectId);
			const later = lost < 0 ? [] : own.slice(lost + 1).filter(isAfter);
			return [...beside, ...later].map(({ row }) => `row ${row} was sent`);
		}),

	'The account keeps its credits, and tells them before anything is sent': ({ adds, plan }) => {
		const left = new Map<unknown, number>();
		return adds.flatMap(({ row, played, queueId, authorization }) => {
			const { rows } = played.workflow;
			const isUnderstated = rows.some(({ cost }) => !(toNumber(cost) >= 1));
			if (!isGuarded(played.workflow) || isUnderstated) return [];
			const rest = (left.get(authorization) ?? plan.credits) - (queueId === undefined ? 0 : 1);
			left.set(authorization, rest);
			const isRead = played.requests.some(
				({ operation, status, headers }) =>
					operation === 'account.get' && status === 200 && headers.authorization === authorization,
			);
			const isKept =
				played.execution === TROUBLE_FREE ||
				rest >= toNumber(rows[row]?.keep) ||
				queueId === undefined;
			return isRead && isKept ? [] : [`row ${row} left ${rest}, with the credits read: ${isRead}`];
		});
	},

	'No execution queues more than Max Videos, or may have': ({ adds }) => {
		const paid = adds.filter(
			({ fate, played }) => fate !== 'refused' && isLimited(played.workflow),
		);
		return groupBy(paid, nameExecution).flatMap(([name, all]) => {
			const { maxVideos } = all[0].played.workflow.parameters.options as IDataObject;
			return all.length > Number(maxVideos) ? [`${all.length} of execution ${name}`] : [];
		});
	},

	'A model that is told of a refusal orders again, in all words that it has': ({ adds, played }) =>
		played
			.filter(({ workflow }) => workflow.model?.insists)
			.filter((each) => adds.findLast((add) => add.played === each)?.fate === 'refused')
			.filter(({ result, workflow }) => result?.outputs.length !== workflow.rows.length)
			.map(showAll),
};

/** Laws of all operations that make or wait for videos. */
const ITEM_LAWS: Record<string, Law> = {
	'Every item comes out once, with its own queue ID and file': (records) =>
		records.ended.flatMap((played) => {
			const { workflow, result } = played;
			const { model, parameters, rows } = workflow;
			if (result?.status !== 'success') return [];
			const outputs = records.listOutputs(played);
			const links = outputs.map(({ row }) => row).sort((a, b) => a - b);
			const isLeftOut = (row: number) =>
				model?.insists === true || isDone(records, row, played) || isAnotherRound(row, workflow);
			const expected = listRows(played).filter((row) => links.includes(row) || !isLeftOut(row));
			const others = outputs.filter(({ json, row, binary, isFailed, queueId, charge }) => {
				const isOwn = model ? charge?.customPrompt === rows[row]?.prompt : json.queueId === queueId;
				const hasFile = binary !== undefined;
				return !isFailed && (!isOwn || hasFile !== (parameters.downloadVideo ?? false));
			});
			return [
				...(links.join() === expected.join() ? [] : [`items ${links.join()} came out`]),
				...others.map(({ json }) => JSON.stringify(json)),
			];
		}),

	"No wait is ended by a moment without n8n's database, and none says that nothing was sent": ({
		outputs,
	}) =>
		outputs
			// Before the outage, the looks with a changed key failed as well.
			.filter(({ played }) => !isStopped(played) && !played.execution.changesKey)
			.filter(({ fields }) => fields.lastStatus !== undefined)
			.map(({ json: { error, message } }) => JSON.stringify([error, message]))
			.filter((text) => text.includes(`["${DATABASE_ERROR}`) || text.includes('Nothing was sent')),

	'Where nothing goes wrong, an execution does all that is left': (records) =>
		records.played.flatMap((played) => {
			const { workflow, result } = played;
			if (!isTroubleFree(records, played)) return [];
			const expected = listRows(played).map((row) => expectRow(records, row, played));
			if (stops(workflow)) {
				const isSure = !expected.includes('either') || expected.includes('failure');
				const isWrong = result?.status !== (expected.includes('failure') ? 'error' : 'success');
				return isSure && isWrong ? [`${String(result?.status)}: ${showAll(played)}`] : [];
			}
			return records
				.listOutputs(played)
				.filter(({ row, isFailed }) => expected[row] === (isFailed ? 'success' : 'failure'))
				.map(({ row, json }) => `${row} is no ${expected[row]}: ${JSON.stringify(json)}`);
		}),
};

const listRows = ({ workflow: { rows, settings } }: Played) =>
	rows.map((_, row) => row).slice(0, settings.executeOnce ? 1 : undefined);

/** How long a fault can hold up who waits: a stalled request ends by its timeout, and a longer pause is not kept. */
const getPauseMs = ({ kind, ...fault }: FaultSpec) =>
	kind === 'latency' || kind === 'slowBody'
		? 300_000
		: 'headers' in fault || kind === 'tooManyRequests'
			? 125_000
			: 35_000;

/** When an execution must be over, by the ends of all videos and the timeouts of the waits for them. */
function getLatestEnd({ plan, played: all, session }: Records, played: Played): number {
	const { rows, perRound = rows.length, settings } = played.workflow;
	const tries = settings.retryOnFail ? settings.maxTries : 1;
	const rounds = Math.ceil(rows.length / perRound);
	const options = plan.workflows.map(getWaitOptions);
	const getMost = (name: string, usual: number) =>
		1_000 * Math.max(usual, ...options.map((each) => Number(each[name] ?? 0)));
	const timeoutMs = getMost('timeout', 1_800);
	// A 404 lasts for a minute where it is no JSON, and the list is tried for two.
	const graceMs =
		3 * getMost('pollingInterval', 5) +
		getMost('listingDelay', LISTING_DELAY) +
		180_000 +
		8 * getSlowMs(plan);
	const { durations = {}, maxAtOnce } = plan.service;
	const longestMs = Math.max(
		...[durations, ...plan.videos].map(({ processingMs = 0 }) => processingMs),
	);
	const charges = session.sandbox.charges.filter(({ at }) => at <= played.endedAt);
	const ends = charges.map(({ at }) => {
		const since = Math.max(at, played.startedAt);
		const madeMs = longestMs * ((maxAtOnce ?? null) === null ? 1 : charges.length);
		return Math.min(Math.max(since, at + madeMs), since + tries * timeoutMs);
	});
	const troubles = all.flatMap(({ execution }) => [
		...execution.faults.map(getPauseMs),
		...(execution.outage ? [execution.outage.forMs + 35_000] : []),
	]);
	const triesMs =
		tries * (rounds * graceMs + rows.length * 35_000 + (settings.waitBetweenTries || 1_000));
	return (
		Math.max(played.startedAt, ...ends) + triesMs + troubles.reduce((sum, each) => sum + each, 0)
	);
}

const COMMON_LAWS: Record<string, Law> = {
	'Every wait ends: by its video, or by its timeout': (records) =>
		records.played
			.filter((played) => played.endedAt > getLatestEnd(records, played))
			.map((played) => `${played.endedAt - getLatestEnd(records, played)} ms late`),

	'A run that has failed sends nothing more': ({ adds, ended }) =>
		ended.flatMap((played) => {
			const { retryOnFail, waitBetweenTries } = played.workflow.settings;
			if (!stops(played.workflow) || played.workflow.model) return [];
			const own = adds.filter((add) => add.played === played);
			return own.flatMap((add, index) => {
				const { faults = [], status, endedAt = Infinity } = add.request;
				// A short pause is waited for, and the add is sent again.
				const isAgain = status === 429 && add.fate === 'refused';
				if (add.fate === 'told' || isAgain) return [];
				const nextTryAt = retryOnFail ? endedAt + (waitBetweenTries || 1_000) : Infinity;
				return own.slice(index + 1).flatMap(({ at, authorization, body, row }) => {
					// What waits for a turn is not under way, and what is sent later was not.
					// Guarded adds wait for those with their own key.
					const isInTurn =
						(isGuarded(played.workflow) && authorization === add.authorization) ||
						!generates(played.workflow) ||
						body.projectId === add.body.projectId;
					const isAfter = isInTurn ? at >= endedAt : at > endedAt + UNDER_WAY_MS;
					return isAfter && at < nextTryAt
						? [`row ${row} after row ${add.row} (${faults.join()})`]
						: [];
				});
			});
		}),

	'Nothing is left, everything ends, and a later execution begins at once': (records) => {
		const { adds, played } = records;
		const { last, left } = records.session;
		const own = adds.filter((add) => add.played.workflow === last);
		const delays = own.map((add) => add.at - add.played.startedAt);
		const isAtOnce =
			delays.length === (last?.rows.length ?? 0) &&
			delays.every((delayMs) => delayMs < LIST_MS + 2 * getSlowMs(records.plan));
		return [
			...left,
			...(isAtOnce ? [] : [`adds of the last execution after ${delays.join()} ms`]),
			...played
				.filter(({ result, execution }) => !result && execution.killAfterMs === undefined)
				.map(() => 'no end'),
		];
	},

	'Stop ends an execution within a second and the pauses of n8n, and nothing is sent any more': ({
		adds,
		played: all,
	}) =>
		all.filter(isStopped).flatMap((played) => {
			const { retryOnFail, maxTries, waitBetweenTries } = played.workflow.settings;
			// n8n takes 0 for its default.
			const pausesMs = retryOnFail ? maxTries * (waitBetweenTries || 1_000) : 0;
			const stoppedAt = played.startedAt + getStopMs(played.execution);
			const lateMs = played.endedAt - stoppedAt - pausesMs;
			const sent = adds.filter((add) => add.played === played && add.at > stoppedAt);
			return lateMs > 1_000 || sent.length > 0 ? [`${lateMs} ms late, ${sent.length} sent`] : [];
		}),

	'No key, no raw error and no cancellation that nobody asked for is shown': ({
		plan,
		played,
		session: { keys, logLines },
	}) =>
		played.flatMap((each) => {
			const shown = showAll(each);
			const all = stringify(each.result?.run?.data ?? {}) + shown + logLines.join();
			const isCanceled = isStopped(each) && !Number.isFinite(getStopMs(each.execution));
			const raw = RAW.exec(shown)?.[0];
			const rows = plan.workflows.flatMap((workflow) => workflow.rows);
			// A key that a response to another account, or to a newer key, shows is not known there.
			const isForeign = (key: string) =>
				(key !== CHANGED_KEY && rows.some(({ account }) => keys[account as number] !== key)) ||
				(each.execution.changesKey && each.execution.faults.some(({ nth = 1 }) => nth > 1));
			return [
				...[...keys, CHANGED_KEY].filter((key) => all.includes(key) && !isForeign(key)),
				...(isCanceled ? ['it is canceled'] : []),
				...(raw === undefined ? [] : [`"${raw}": ${shown}`]),
			];
		}),

	'n8n keeps little, no texts, and nothing after a success': (records) =>
		records.played.flatMap(({ result, workflow }) => {
			const { executionData, resultData } = result?.run?.data ?? {};
			const tasks = Object.values(resultData?.runData ?? {}).flat();
			const all = [
				...[...(executionData?.nodeExecutionStack ?? []), ...tasks].map(({ metadata }) => metadata),
				...Object.values(executionData?.contextData ?? {}),
			] as (IDataObject | undefined)[];
			const kept = all.flatMap((data) =>
				data?.videoGeneration === undefined ? [] : [stringify(data.videoGeneration)],
			);
			const hasFailed = result?.outputs.some(({ json }) => json.error !== undefined);
			const isDone = result?.status === 'success' && !hasFailed;
			const makesVideos = generates(workflow) || workflow.parameters.operation === 'wait';
			// The beginning of a response that names a queue item is kept, with the marks of JSON in JSON.
			const getMaxLength = (text: string) =>
				400 + (text.includes('"receivedText"') ? 700 : 180) * workflow.rows.length;
			return kept.filter(
				(text) =>
					isDone ||
					/Film|terminated|not valid/.test(text) ||
					(!makesVideos && text.length > getMaxLength(text)),
			);
		}),
};

const LAWS = {
	...ADD_LAWS,
	...ITEM_LAWS,
	...VIDEO_LAWS,
	...COMMON_LAWS,
};

/** Returns a sentence for each law that does not hold. */
export function findBroken(session: Session): string[] {
	const records = new Records(session);
	return Object.entries(LAWS).flatMap(([name, law]) =>
		law(records).map((text) => `${name}: ${text}`),
	);
}
