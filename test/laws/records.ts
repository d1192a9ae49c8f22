import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { RecordedRequest } from '../../sandbox/control/requestLog';
import type { Charge } from '../../sandbox/domain/model';
import type { Plan, Workflow } from './Plan';
import {
	generates,
	getListingDelayMs,
	getSlowMs,
	getStopMs,
	getWaitOptions,
	isAdd,
	isMistaken,
} from './Plan';
import { ADD_FAULTS, type Fate } from './plans';
import { getAccount, type Played, type Session } from './Session';

/** The body of an add. */
interface Order {
	projectId: string;
	customPrompt?: string;
	overwriteSettings?: boolean;
}

/** An add that reached the service. */
export type Add = ReturnType<Records['toAdd']>;

/** What came out of an execution. */
export type Output = ReturnType<Records['toOutput']>;

/** A row of Video > Generate whose add was sent, in an execution and its retries. */
export type Item = ReturnType<Records['toItem']>;

/** A law that holds in every session; returns a sentence for each case in which it does not. */
export type Law = (records: Records) => string[];

/** The maximum time in which a list is read: requests for it are at least a second apart. */
export const LIST_MS = 3_000;

export const isStopped = ({ result }: Played) => result?.status === 'canceled';

/** All that a person or a workflow sees of an execution; what only n8n's own fields hold does not count. */
export function showAll({ result }: Played): string {
	const { error, outputs = [] } = result ?? {};
	const shown = outputs.map(({ json }) => json);
	return JSON.stringify([shown, error?.message, error?.description, error?.context]);
}

/** Whether an account itself waits with wrong words or projects: what it takes by mistake is missing elsewhere. */
export const hasMistakes = ({ workflows }: Plan, { accountId }: Charge) =>
	workflows.some(
		(each) => isMistaken(each) && each.rows.some((row) => getAccount(row) === accountId),
	);

export function groupBy<T>(all: T[], getName: (each: T) => string): [string, [T, ...T[]]][] {
	const groups = new Map<string, T[]>();
	for (const each of all) {
		const name = getName(each);
		groups.set(name, [...(groups.get(name) ?? []), each]);
	}
	return [...groups] as [string, [T, ...T[]]][];
}

/**
 * What the service and n8n have recorded of a session, which the laws judge by. It shares nothing with
 * the node.
 */
export class Records {
	readonly plan: Plan;

	readonly played: Played[];

	/** The executions that ended by themselves. */
	readonly ended: Played[];

	readonly adds: Add[];

	readonly outputs: Output[];

	readonly items: Item[];

	/** Those that this process has made in its lanes. */
	readonly inLanes: Item[];

	constructor(readonly session: Session) {
		this.plan = session.plan;
		this.played = session.played;
		this.ended = this.played.filter((each) => each.result && !isStopped(each));
		this.adds = this.listAdds();
		this.outputs = this.played.flatMap((played) =>
			(played.result?.outputs ?? []).map((item) => this.toOutput(played, item)),
		);
		const generated = this.adds.filter(({ played }) => generates(played.workflow));
		const groups = groupBy(generated, ({ played, row }) => `${row} of ${played.chain}`);
		this.items = groups.map(([, adds]) => this.toItem(adds));
		this.inLanes = this.items.filter((item) => !item.isElsewhere);
	}

	/** Whether an execution belongs to the chain of another one, and came before it or is it. */
	isUpTo(until: Played, played: Played): boolean {
		return (
			played.chain === until.chain && this.played.indexOf(played) <= this.played.indexOf(until)
		);
	}

	/** The last add of a row in an execution and its retries, up to an execution. */
	findAdd(row: number, until: Played): Add | undefined {
		const { rows } = until.workflow;
		const isSame = ({ prompt, project }: IDataObject) =>
			prompt === rows[row]?.prompt && project === rows[row]?.project;
		const first = rows.findIndex(isSame);
		return this.adds.findLast((add) => add.row === first && this.isUpTo(until, add.played));
	}

	isUnknown(row: number, until: Played): boolean {
		return this.findAdd(row, until)?.fate === 'unknown';
	}

	listOutputs(played: Played): Output[] {
		return this.outputs.filter((each) => each.played === played);
	}

	/** The queue ID that a row has in an execution; undefined if it has none. */
	findQueueId(row: number, until: Played): string | undefined {
		const { execution, isRetry, workflow } = until;
		if (isAdd(workflow)) return this.findAdd(row, until)?.queueId;
		const isOther = isRetry && execution.how === 'retrySaved' && 'queueId' in workflow.saved;
		return workflow.rows[row]?.[isOther ? 'otherId' : 'queueId'] as string | undefined;
	}

	/** The charge of a video of a row's account: a queue ID may come again, and accounts may number alike. */
	private findCharge(videoId: unknown, row: IDataObject = {}): Charge | undefined {
		const account = getAccount(row);
		const charges = this.session.sandbox.charges.filter(
			(each) => each.videoId === videoId && each.accountId === account,
		);
		// A service that merges orders charges one item several times.
		return charges.find(({ customPrompt }) => customPrompt === row.prompt) ?? charges[0];
	}

	/** What was paid for a row; undefined if nothing was, as far as its execution knows. */
	findOwn(row: number, until: Played): Charge | undefined {
		const { execution, isRetry, workflow } = until;
		if (isAdd(workflow)) return this.findAdd(row, until)?.charge;
		const isOther = isRetry && execution.how === 'retrySaved' && 'queueId' in workflow.saved;
		const ordered = workflow.rows[row];
		const other = workflow.rows.find(({ queueId }) => queueId === ordered?.otherId);
		return this.findCharge((isOther ? other : ordered)?.videoId, ordered);
	}

	/** When the video of a charge was listed; undefined if it never was. */
	findListedAt(charge: Charge | undefined): number | undefined {
		const video = this.session.videos.find(
			({ accountId, id }) => id === charge?.videoId && accountId === charge.accountId,
		);
		return video && Date.parse(video.createdAt);
	}

	/** Whether the video of a charge was finished, and not too late for who waits for it since then. */
	isInTime(workflow: Workflow, charge: Charge | undefined, since: number): boolean {
		const listedAt = this.findListedAt(charge);
		if (listedAt === undefined) return false;
		const { pollingInterval = 5, timeout = 1_800 } = getWaitOptions(workflow);
		const lateMs = this.plan.service.durations?.logDelayMs ?? 0;
		const lastMs = (Number(timeout) - 2 * Number(pollingInterval)) * 1_000;
		return listedAt - lateMs - since < lastMs - 2 * getSlowMs(this.plan);
	}

	private listAdds(): Add[] {
		const { last, sandbox } = this.session;
		const counts = new Map<Played, number>();
		return sandbox.requests.flatMap((request, index) => {
			if (request.operation !== 'queue.add') return [];
			const { customPrompt = '', projectId } = request.body as Order;
			const number = Number(/^Film (\d+)-/.exec(customPrompt)?.[1] ?? 0);
			const workflow = this.plan.workflows[number] ?? last;
			const played = this.played.findLast(
				(each) => each.workflow === workflow && each.requestsBefore <= index,
			);
			// What Queue > Wait waits for was added before.
			if (!played || !isAdd(played.workflow)) return [];
			const row = played.workflow.rows.findIndex(
				({ project, prompt }) =>
					project === projectId && (typeof prompt !== 'string' || customPrompt.startsWith(prompt)),
			);
			const nth = (counts.get(played) ?? 0) + 1;
			counts.set(played, nth);
			return [this.toAdd(request, played, row, nth)];
		});
	}

	/** @param row of identical orders of a model, the first one */
	toAdd(request: RecordedRequest, played: Played, row: number, nth: number) {
		const { at, body, broken, closed, headers, queueId, status, videoId } = request;
		const charge =
			queueId === undefined ? undefined : this.findCharge(videoId, played.workflow.rows[row]);
		const fault = played.execution.faults.find(
			(each) => each.operation === 'queue.add' && each.nth === nth,
		);
		const text = JSON.stringify(fault);
		const known = ADD_FAULTS.find(([spec]) => JSON.stringify({ ...fault, ...spec }) === text);
		const [spec, usual] = known ?? [undefined, 'told'];
		const showsId = spec?.kind === 'status' && spec.keepsBody === true;
		// These statuses prove a refusal, however their body arrives. A body that is kept is that of a refusal
		// where nothing was queued.
		const isProof = [401, 402].includes(status ?? 0) || showsId;
		// The client of an add that arrives in the moment of Stop may be gone by then.
		const isLate = isStopped(played) && at >= played.startedAt + getStopMs(played.execution);
		const isLost = closed === true || broken === true || status === undefined || isLate;
		let fate: Fate = usual === 'told' && this.keepsIds ? 'told' : 'unknown';
		if (queueId === undefined && (usual !== 'unknown' || isProof)) fate = 'refused';
		if (isLost) fate = 'unknown';
		// Whether the whole response has reached the node, and names the queue item, whatever its fate.
		const showsQueueItem = queueId !== undefined && !isLost && (usual === 'told' || showsId);
		const authorization = headers.authorization;
		const order = body as Order;
		return {
			played,
			row,
			at,
			fate,
			queueId,
			charge,
			showsQueueItem,
			authorization,
			body: order,
			request,
		};
	}

	/** A client that parses a long number as one of JavaScript's changes it. */
	get keepsIds(): boolean {
		return this.plan.service.numericQueueIds !== 'long';
	}

	toOutput(played: Played, { binary, json, pairedItem }: INodeExecutionData) {
		const { item: row } = pairedItem as { item: number };
		// The fields of an item, whether it succeeded or failed.
		const fields: IDataObject = { ...json, ...(json.details as IDataObject | undefined) };
		const queueId = this.findQueueId(row, played);
		const isFailed = json.error !== undefined;
		// A model may order the same several times.
		const called = this.adds.filter(
			(add) => add.played === played && add.queueId !== undefined && add.queueId === fields.queueId,
		);
		const { prompt } = played.workflow.rows[row] ?? {};
		const isOf = ({ body: { customPrompt } }: Add) => customPrompt === prompt;
		const known = called.find(isOf) ?? called[0];
		const charge = played.workflow.model ? known?.charge : this.findOwn(row, played);
		return { played, row, json, fields, isFailed, queueId, charge, binary };
	}

	toItem(adds: [Add, ...Add[]]) {
		const { service } = this.plan;
		const [{ at: firstAt, body, played, row }] = adds;
		const { workflow } = played;
		const charge = adds.find((add) => add.charge !== undefined)?.charge;
		// One that was cleared by hand was never finished, though a list that leads may show its video.
		const isCleared = charge !== undefined && this.session.cleared.has(charge);
		const listedAt = isCleared ? undefined : this.findListedAt(charge);
		// Infinity if it was never finished.
		const endsAt = (listedAt ?? Infinity) - (service.durations?.logDelayMs ?? 0);
		const lastAt = adds.at(-1)?.at ?? NaN;
		// An add was accepted, or may have been, and its execution does not know it.
		const isLost = adds.some(({ fate }) => fate === 'unknown');
		const isMade = listedAt !== undefined && !isLost;
		const checks = this.session.sandbox.requests.filter(
			({ url, videoId = charge?.videoId }) =>
				url.endsWith(`/${charge?.queueId}`) && videoId === charge?.videoId,
		);
		const slowMs = getSlowMs(this.plan);
		const endedBy = isMade ? endsAt + 5_000 + 2 * slowMs : (checks.at(-1)?.at ?? lastAt);
		const isGone = charge !== undefined && service.endedItemsLeaveAfterMs !== null;
		const settledBy = endedBy + (isMade || isGone ? getListingDelayMs(workflow) : 0);
		// It counts as one that has left the queue after 20 s at most.
		const leavesBy = settledBy + (isGone ? 20_000 : 0) + LIST_MS + 4 * slowMs;
		return {
			/** The execution of its first add. */
			played,
			workflow,
			row,
			project: body.projectId,
			isLost,
			isElsewhere: adds.some((add) => add.played.execution.isElsewhere),
			charge,
			endsAt,
			firstAt,
			lastAt,
			/** When it left its place at the latest, if its execution went on. */
			leavesBy,
		};
	}
}
