import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { Charge } from '../../../sandbox/domain/model';
import type { Fate } from './plans';
import { ADD_FAULTS } from './plans';
import type { Plan, Played, Session } from './Session';
import { listOutputs } from './Session';

/*
 * What the service and n8n have recorded of a session, which the laws judge by. It shares nothing with
 * the node.
 */

/** The body of an add. */
interface Order {
	projectId: string;
	customPrompt?: string;
	overwriteSettings?: boolean;
}

/** An add that reached the service. */
export interface Add {
	row: number;
	played: Played;
	at: number;
	fate: Fate;
	queueId: string | undefined;
	/** Whether the whole response has reached the node, and names the queue item, whatever its fate. */
	showsQueueItem: boolean;
	/** Whether the queue ID can be kept as it was received, too. */
	isIdReceived: boolean;
	authorization: unknown;
	body: Order;
}

/** A law that holds in every session; returns a sentence for each case in which it does not. */
export type Law = (session: Session, plan: Plan, adds: Add[]) => string[];

export const isSubset = (part: object, whole: object) =>
	JSON.stringify({ ...whole, ...part }) === JSON.stringify(whole);

export function listAdds(session: Session, plan: Plan): Add[] {
	return session.adds.map(({ request, played, nth }) => {
		const body = request.body as Order;
		const { customPrompt = '', projectId } = body;
		const name = waits(plan) ? customPrompt : projectId;
		const fault = played.execution.faults.find(
			(each) => each.operation === 'queue.add' && each.nth === nth,
		);
		const known = ADD_FAULTS.find(([spec]) => fault !== undefined && isSubset(spec, fault));
		const [spec] = known ?? [];
		const showsId = spec?.kind === 'status' && spec.keepsBody === true;
		// These statuses prove a refusal, however their body arrives. A body that is kept is that of a refusal
		// where nothing was queued.
		const isProof = [401, 402].includes(request.status ?? 0) || showsId;
		const isRefused = request.queueId === undefined && (known?.[1] !== 'unknown' || isProof);
		const isLost =
			request.closed === true || request.broken === true || request.status === undefined;
		// A client that parses a long number as one of JavaScript's changes it.
		const usual = plan.service.numericQueueIds === 'long' ? 'unknown' : 'told';
		const isTold = (known?.[1] ?? 'told') === 'told';
		const fate = isLost ? 'unknown' : isRefused ? 'refused' : isTold ? usual : 'unknown';
		const showsQueueItem =
			request.queueId !== undefined &&
			!isLost &&
			((isTold && usual === 'unknown') || showsId || fate === 'told');
		return {
			...{ row: Number(/\d+(?=$| \/)/.exec(name)?.[0]), played, body, at: request.at, fate },
			queueId: request.queueId,
			...{ showsQueueItem, isIdReceived: showsQueueItem && usual === 'told' },
			authorization: request.headers.authorization,
		};
	});
}

/** The adds of each row of an execution and its retries; with Unique Key, those of each key. */
export function groupAdds(plan: Plan, adds: Add[]): [string, Add[]][] {
	const groups = new Map<string, Add[]>();
	for (const add of adds) {
		const name = isUnique(plan)
			? `key ${toKey(plan.rows[add.row]?.key)}`
			: `row ${add.row} of execution ${add.played.chain}`;
		groups.set(name, [...(groups.get(name) ?? []), add]);
	}
	return [...groups];
}

/** The last add of a row in an execution and its retries, up to an execution. */
export function findAdd({ played: all }: Session, adds: Add[], row: number, until: Played) {
	return adds.findLast(
		(add) =>
			add.row === row &&
			add.played.chain === until.chain &&
			all.indexOf(add.played) <= all.indexOf(until),
	);
}

/** The queue ID that a row has in an execution; undefined if it has none. */
export function findQueueId(session: Session, plan: Plan, adds: Add[], row: number, until: Played) {
	if (isAdd(plan)) return findAdd(session, adds, row, until)?.queueId;
	const isOther =
		until.isRetry && until.execution.how === 'retrySaved' && plan.saved.queueId !== undefined;
	return plan.rows[row]?.[isOther ? 'otherId' : 'queueId'] as string | undefined;
}

export const findCharge = ({ sandbox }: Session, queueId: unknown): Charge | undefined =>
	sandbox.charges.find((each) => each.queueId === queueId);

/** When a video was listed; undefined if it never was. */
export function findListedAt({ videos }: Session, videoId: string): number | undefined {
	const createdAt = videos.find(({ id }) => id === videoId)?.createdAt;
	return createdAt === undefined ? undefined : Date.parse(createdAt);
}

/** Whether the video of a charge was finished this long after a time, and not too late for the node. */
export function isInTime(session: Session, plan: Plan, charge: Charge, since: number): boolean {
	const listedAt = findListedAt(session, charge.videoId);
	if (listedAt === undefined) return false;
	const { pollingInterval = 5, timeout = 1_800 } = getWaitOptions(plan);
	const lateMs = plan.service.durations?.logDelayMs ?? 0;
	return listedAt - lateMs - since < (Number(timeout) - 2 * Number(pollingInterval)) * 1_000;
}

export const getWaitOptions = ({ parameters }: Plan) =>
	(parameters.waitOptions ?? {}) as IDataObject;
export const getListingDelayMs = (plan: Plan) =>
	Number(getWaitOptions(plan).listingDelay ?? 10) * 1_000;

const getOptions = ({ parameters }: Plan) => (parameters.options ?? {}) as IDataObject;
export const waits = ({ parameters }: Plan) => parameters.operation === 'generate';
export const isAdd = (plan: Plan) => waits(plan) || plan.parameters.operation === 'add';
export const isUnique = (plan: Plan) => getOptions(plan).uniqueKey !== undefined;
export const isGuarded = (plan: Plan) => getOptions(plan).creditsToKeep !== undefined;
export const stops = ({ settings }: Plan) => settings.onError === 'stopWorkflow';
export const isStopped = ({ result }: Pick<Played, 'result'>) => result?.run.status === 'canceled';

/** The executions that ended by themselves. */
export const listEnded = ({ played }: Session) =>
	played.filter((each) => each.result && !isStopped(each));

export const readLink = ({ pairedItem }: INodeExecutionData) =>
	(pairedItem as { item: number }).item;
export const isFailed = ({ json }: { json: IDataObject }) => json.error !== undefined;

/** All that a person or a workflow sees of an execution; what only n8n's own fields hold does not count. */
export function showAll(played: Played): string {
	const { error } = played.result ?? {};
	const outputs = listOutputs(played).map(({ json }) => json);
	return JSON.stringify([outputs, error?.message, error?.description, error?.context]);
}

export const isOn = (value: unknown) => /^(true|1)$/i.test(String(value));
const isSwitch = (value: unknown) => /^(true|false|1|0|)$/i.test(String(value));
export const toKey = (value: unknown) =>
	['string', 'number'].includes(typeof value) ? String(value).trim() : '';
export const toNumber = (value: unknown) => (toKey(value) === '' ? NaN : Number(value));

/** Whether a row has what its operation needs, by the documents. */
export function isUsable(
	plan: Plan,
	{ prompt, overwrite, key, keep, cost }: IDataObject = {},
): boolean {
	if (!isAdd(plan)) return true;
	// A field whose expression has no value.
	const parameters = JSON.stringify(plan.parameters);
	if (parameters.includes('$json.nothing')) return false;
	if (parameters.includes('$json.prompt') && prompt === undefined) return false;
	if (Array.isArray(prompt) || !isSwitch(overwrite)) return false;
	if (isOn(overwrite) && (prompt ?? '') === '') return false;
	if (isUnique(plan) && toKey(key) === '') return false;
	return !isGuarded(plan) || (toNumber(keep) >= 0 && toNumber(cost) > 0);
}
