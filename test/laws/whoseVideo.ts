import type { IDataObject } from 'n8n-workflow';
import type { RecordedRequest } from '../../sandbox/control/requestLog';
import type { Charge } from '../../sandbox/domain/model';
import { generates, getListingDelayMs, getWaitOptions } from './Plan';
import { hasMistakes, type Output, type Records } from './records';
import { getAccount, type Played, type Session } from './Session';

/*
 * Whose video is whose: it plays the rules of the documents on the service's own record, list by list. Where that does not
 * tell what the process knows, it has doubts, and allows that no video is given.
 */

/** The wait of a row for its item, as the service sees it. */
interface Wait {
	played: Played;
	fields: IDataObject;
	made: Charge;
	/** When its add was sent, if that execution has sent it. */
	sentAt: number;
	/** The date of its item, and its project, where the node knows them. */
	date: number;
	project: string | undefined;
	delayMs: number;
	looks: RecordedRequest[];
	/** The last time that it was found running, and from when on a list has to show its video. */
	runningAt: number;
	dueAt: number;
	/** The video that the rules give it, or why none. */
	given?: string;
	reason?: string;
}

/** These leave a reply as it is, though it may come late. */
const HARMLESS = ['latency', 'errorKey', 'extraFields'];

const isWhole = ({ broken, closed, faults = [], status }: RecordedRequest) =>
	status === 200 && !broken && !closed && faults.every((kind) => HARMLESS.includes(kind));

const getEnd = ({ at, endedAt = at }: RecordedRequest) => endedAt;

const SHORTEST_NAME = 16;

/** What the service has recorded of an account. */
function readAccount(session: Session, account: string) {
	const { charges, requests } = session.sandbox;
	const keys = session.keys.filter((_, index) => getAccount({ account: index }) === account);
	return {
		requests: requests.filter(({ headers }) =>
			keys.includes(String(headers.authorization).replace('Bearer ', '')),
		),
		charges: charges.filter(({ accountId }) => accountId === account),
		/** In the order in which lists show them. */
		videos: session.videos.filter(({ accountId }) => accountId === account),
	};
}
type Account = ReturnType<typeof readAccount>;

/** The wait behind an output; undefined if the row has waited for nothing. */
function findWait({ adds }: Records, { requests }: Account, output: Output): Wait | undefined {
	const { charge: made, fields, played } = output;
	const { parameters } = played.workflow;
	const isWait = parameters.operation === 'wait';
	if (!made || (!isWait && !generates(played.workflow))) return undefined;
	const add = adds.findLast((each) => each.charge === made && each.played === played);
	const sentAt = add?.at ?? -Infinity;
	const delayMs = getListingDelayMs(played.workflow);
	const { completedStatuses = 'completed' } = getWaitOptions(played.workflow);
	const words = (completedStatuses as string).split(', ');
	const since = Math.max(sentAt, played.startedAt);
	const looks = requests.filter(
		(each) =>
			each.url.endsWith(`/progress/${made.queueId}`) &&
			each.at >= since &&
			each.at <= played.endedAt &&
			isWhole(each),
	);
	const end = looks.find(({ details }) => words.includes(details?.status ?? ''));
	return {
		played,
		fields,
		made,
		sentAt,
		date: isWait && parameters.queuedAt === '' ? -Infinity : made.at,
		project: (parameters.projectId as IDataObject).value === '' ? undefined : made.projectId,
		delayMs,
		looks,
		runningAt: looks.findLast(({ at }) => !end || at < end.at)?.at ?? -Infinity,
		dueAt: end ? getEnd(end) + delayMs : Infinity,
	};
}

/** Plays the rules, list by list. */
function decide({ requests, videos }: Account, { plan, sandbox }: Session, waits: Wait[]): void {
	const shownAt = new Map<string, number>();
	const owners = new Map<string, string>();
	const mistrusted: { project: string | undefined; until: number }[] = [];
	const changes = [...plan.changes].sort((a, b) => a.atMs - b.atMs);
	const lists = requests.filter((request) => request.listed !== undefined && isWhole(request));
	for (const list of lists.sort((a, b) => getEnd(a) - getEnd(b))) {
		const now = getEnd(list);
		const shown = videos.slice(0, list.listed);
		for (const { id } of shown) if (!shownAt.has(id)) shownAt.set(id, now);
		const open = waits.filter(
			({ given, played, reason, sentAt }) =>
				given === undefined &&
				reason === undefined &&
				list.at >= Math.max(sentAt, played.startedAt),
		);
		const changed = changes.findLast(
			({ atMs }) => list.at >= (sandbox.requests[0]?.at ?? 0) + atMs,
		);
		const { entriesNameQueueId = false } = { ...plan.service, ...changed?.service };
		const isOpen = (wait: Wait) => wait.given === undefined;
		for (const wait of open) {
			const { queueId, videoId } = wait.made;
			const isTold = wait.looks.some((look) => look.details?.videoUrl && getEnd(look) <= list.at);
			const canBeNamed = entriesNameQueueId !== false && queueId.length >= SHORTEST_NAME;
			const isNamed = canBeNamed && shown.some(({ id }) => id === videoId);
			if (isTold || isNamed) wait.given = videoId;
			// A signature makes another address of it.
			if (isNamed || (isTold && !plan.service.signedUrls)) owners.set(videoId, videoId);
		}
		const listCandidates = ({ date, delayMs, made, project, runningAt, sentAt }: Wait) =>
			shown.filter((video) => {
				const firstAt = shownAt.get(video.id) ?? now;
				const isNew = firstAt > sentAt && firstAt >= runningAt - delayMs;
				const isFree = (owners.get(video.id) ?? made.videoId) === made.videoId;
				const isOfProject = project === undefined || video.projectId === project;
				return isNew && isFree && isOfProject && Date.parse(video.createdAt) >= date - delayMs;
			});
		const due = open.filter((wait) => isOpen(wait) && wait.dueAt <= list.at);
		for (let before = -1; before < owners.size;) {
			before = owners.size;
			for (const wait of due.filter(isOpen)) {
				const [only, ...others] = listCandidates(wait);
				if (!only || others.length > 0 || (wait.date === -Infinity && wait.runningAt === -Infinity))
					continue;
				const isDoubted = mistrusted.some(
					({ project, until }) => until > now && [undefined, wait.project].includes(project),
				);
				if (isDoubted) continue;
				wait.given = only.id;
				owners.set(only.id, wait.made.videoId);
			}
		}
		for (const wait of due.filter(isOpen)) {
			const count = listCandidates(wait).length;
			wait.reason = `${count} entries could be its own, or its project was mistrusted`;
			if (count === 0) mistrusted.push({ project: wait.project, until: now + 10 * wait.delayMs });
		}
	}
}

/** Whether the record alone does not tell what the process knows. */
function isDoubted(
	{ charges, requests }: Account,
	session: Session,
	{ looks, made, played }: Wait,
) {
	const { cleared, plan, played: all } = session;
	const { endedItemsLeaveAfterMs = null, listCacheMs = 0 } = plan.service;
	const isAgain = ({ at, queueId, videoId }: Charge) =>
		queueId === made.queueId && videoId !== made.videoId && at <= played.endedAt;
	const keys = new Set(plan.workflows.flatMap(({ rows }) => rows.map(({ account }) => account)));
	const isOtherProcess = ({ execution: { isElsewhere, killAfterMs } }: Played) =>
		isElsewhere === true || killAfterMs !== undefined;
	// A list without news since an item's end may be a cached one: its entry may be that of another item then.
	const isEarly = (plan.service.durations?.logDelayMs ?? 0) < 0;
	const isOther = ({ projectId, videoId }: Charge) =>
		projectId === made.projectId && videoId !== made.videoId;
	const isFailedAdd = ({ body, operation, status }: RecordedRequest) =>
		operation === 'queue.add' &&
		status !== 200 &&
		(body as IDataObject | undefined)?.projectId === made.projectId;
	const wasUnderWay = ({ atMs }: { atMs: number }) => {
		const changedAt = (session.sandbox.requests[0]?.at ?? 0) + atMs;
		return requests.some(
			(each) => each.listed !== undefined && each.at <= changedAt && getEnd(each) >= changedAt,
		);
	};
	return [
		hasMistakes(plan, made),
		charges.some(isAgain),
		all.some(isOtherProcess),
		// A list was under way when the service changed.
		plan.changes.some(wasUnderWay),
		// What was given is forgotten after half an hour.
		all.some(({ endedAt }) => endedAt + 30 * 60_000 <= played.startedAt),
		cleared.has(made),
		// One that was cleared looks as if it was finished.
		[...cleared].some(isOther),
		endedItemsLeaveAfterMs !== null,
		listCacheMs > 0,
		// The account has two keys.
		keys.has(0) && keys.has(2),
		isEarly && (charges.some(isOther) || requests.some(isFailedAdd)),
		// It was never seen.
		looks.length === 0,
		// An add was lost.
		requests.some(({ closed, operation }) => closed && operation === 'queue.add'),
	].some(Boolean);
}

/** Returns a sentence for each output that shows a video, or that none could be told, against the rules. */
export const findBrokenRules = (records: Records): string[] =>
	['main', 'other'].flatMap((name) => {
		const { outputs, session } = records;
		const account = readAccount(session, name);
		const waits = outputs
			.filter(({ played, row }) => getAccount(played.workflow.rows[row] ?? {}) === name)
			.flatMap((output) => findWait(records, account, output) ?? []);
		decide(account, session, waits);
		return waits.flatMap((wait) => {
			const { fields, given, made, reason = 'no list has settled it' } = wait;
			if (!('videoUrl' in fields)) return [];
			const video = fields.video as IDataObject | null | undefined;
			const told = [fields.videoUrl, video?.id].filter(Boolean).map(String);
			const isOwn = told.every((text) => text.includes(made.videoId));
			const isRuled = told.length === 0 ? given !== made.videoId : isOwn;
			if (isRuled || isDoubted(account, session, wait)) return [];
			return [`${given ?? reason}, and not as in ${JSON.stringify(fields)}`];
		});
	});
