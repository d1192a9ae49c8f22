import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import type { RecordedRequest } from '../../../sandbox/control/requestLog';
import type { Charge } from '../../../sandbox/domain/model';
import { getAccount, type Played, type Session } from './Session';

/*
 * A second opinion on whose video is whose. It shares no code with the laws: it plays the rules of the design
 * ("Whose video") on the service's own record, list by list, as far as that is certain. Where the record does not
 * tell what the process knows, it allows that no video is given.
 */

/** An opinion on what an item was given, and why. */
export interface Opinion {
	played: Played;
	row: number;
	got: 'its own' | 'none' | "another's";
	isAllowed: boolean;
	reason: string;
}

/** The wait of a row for its item, as the service sees it. */
interface Wait {
	played: Played;
	row: number;
	made: Charge;
	/** When its add was sent, if that execution has sent it. */
	sentAt: number | undefined;
	/** The date of its item, where the node knows it. */
	date: number | undefined;
	/** Undefined where none is given. */
	project: string | undefined;
	delayMs: number;
	looks: RecordedRequest[];
	/** When a list has to show its video. */
	dueAt: number;
	runningAt: number;
	/** The video that the rules give it, or why none. */
	given?: string;
	reason?: string;
}

/** These leave a reply as it is, though it may come late. */
const HARMLESS = ['latency', 'errorKey', 'extraFields'];

const isWhole = ({ broken, closed, faults = [], status }: RecordedRequest) =>
	status === 200 && !broken && !closed && faults.every((kind) => HARMLESS.includes(kind));

const SHORTEST_NAME = 16;

class Record {
	private readonly waits: Wait[];

	constructor(
		private readonly session: Session,
		private readonly account: string,
	) {
		this.waits = session.played.flatMap((played) =>
			(played.result?.outputs ?? []).flatMap((output) => this.toWait(played, output) ?? []),
		);
		this.decide();
	}

	private get requests() {
		const keys = this.session.keys.filter((_, account) => getAccount({ account }) === this.account);
		return this.session.sandbox.requests.filter(({ headers }) =>
			keys.includes(String(headers.authorization).replace('Bearer ', '')),
		);
	}

	/** The log of the account, in the order in which lists show it. */
	private get videos() {
		return this.session.videos.filter(({ accountId }) => accountId === this.account);
	}

	private toWait(played: Played, { json, pairedItem }: INodeExecutionData): Wait | undefined {
		const { execution, isRetry, workflow } = played;
		const { rows, saved, parameters } = workflow;
		const { item: row } = pairedItem as { item: number };
		const ordered = rows[row] ?? {};
		if (getAccount(ordered) !== this.account) return undefined;
		const isChain = ({ chain, startedAt }: Played) =>
			chain === played.chain && startedAt <= played.startedAt;
		const from = Math.min(...this.session.played.filter(isChain).map((each) => each.startedAt));
		const adds = this.requests.filter(({ at, body, operation, videoId }) => {
			const { customPrompt, projectId } = (body ?? {}) as IDataObject;
			const isOrdered =
				((customPrompt ?? '') as string).startsWith((ordered.prompt ?? 'undefined') as string) &&
				projectId === ordered.project;
			return (
				operation === 'queue.add' &&
				videoId !== undefined &&
				isOrdered &&
				at >= from &&
				at <= played.endedAt
			);
		});
		const isWait = parameters.operation === 'wait';
		const isOther = isRetry && execution.how === 'retrySaved' && 'queueId' in saved;
		const asked = isOther ? rows.find(({ queueId }) => queueId === ordered.otherId) : ordered;
		const isCalled = workflow.model && json.queueId !== undefined;
		const add = adds.findLast(({ queueId }) => !isCalled || queueId === json.queueId);
		if (!isWait && (parameters.operation !== 'generate' || !add)) return undefined;
		const videoId = isWait ? asked?.videoId : add?.videoId;
		const made = this.session.sandbox.charges.find(
			(charge) => charge.videoId === videoId && charge.accountId === this.account,
		);
		if (!made) return undefined;
		const options = (parameters.waitOptions ?? {}) as IDataObject;
		const sentAt = add && add.at >= played.startedAt && !isWait ? add.at : undefined;
		const looks = this.requests.filter(
			({ at, url }) =>
				url.endsWith(`/progress/${made.queueId}`) &&
				at >= (sentAt ?? played.startedAt) &&
				at <= played.endedAt,
		);
		const whole = looks.filter(isWhole);
		const words = ((options.completedStatuses ?? 'completed') as string).split(', ');
		const end = whole.find(({ details }) => words.includes(details?.status ?? ''));
		const running = whole.filter(({ at }) => !end || at < end.at).at(-1);
		const delayMs = Number(options.listingDelay ?? 10) * 1_000;
		const hasProject = (parameters.projectId as IDataObject).value !== '';
		return {
			played,
			row,
			made,
			sentAt,
			date: isWait && parameters.queuedAt === '' ? undefined : made.at,
			project: hasProject ? made.projectId : undefined,
			delayMs,
			looks: whole,
			dueAt: end ? (end.endedAt ?? Infinity) + delayMs : Infinity,
			runningAt: running?.at ?? -Infinity,
		};
	}

	/** Plays the rules, list by list. */
	private decide(): void {
		const { videos, waits } = this;
		const { changes, service } = this.session.plan;
		const shownAt = new Map<string, number>();
		const owners = new Map<string, string>();
		let mistrusted: { project: string | undefined; until: number }[] = [];
		const lists = this.requests
			.filter((request) => request.listed !== undefined && isWhole(request))
			.sort((a, b) => (a.endedAt ?? 0) - (b.endedAt ?? 0));
		const [{ at: startedAt } = { at: 0 }] = this.session.sandbox.requests;
		for (const { at, endedAt = at, listed = 0 } of lists) {
			const shown = videos.slice(0, listed);
			for (const { id } of shown) if (!shownAt.has(id)) shownAt.set(id, endedAt);
			const open = waits.filter(
				(wait) =>
					wait.given === undefined &&
					wait.reason === undefined &&
					at >= (wait.sentAt ?? wait.played.startedAt),
			);
			const now = changes.filter((change) => at >= startedAt + change.atMs);
			const { entriesNameQueueId } = { ...service, ...now.at(-1)?.service };
			for (const wait of open) {
				// The progress tells the address.
				const told = wait.looks.find(
					({ details, endedAt: time = Infinity }) => details?.videoUrl && time <= at,
				);
				const { queueId, videoId } = wait.made;
				const isNamed =
					Boolean(entriesNameQueueId) &&
					queueId.length >= SHORTEST_NAME &&
					shown.some(({ id }) => id === videoId);
				if (told || isNamed) wait.given = videoId;
				if (isNamed || (told && !service.signedUrls)) owners.set(videoId, videoId);
			}
			const due = open.filter((wait) => wait.given === undefined && wait.dueAt <= at);
			const list = (wait: Wait) =>
				shown.filter(({ createdAt, id, projectId }) => {
					const firstAt = shownAt.get(id) ?? 0;
					const isOlder = Date.parse(createdAt) < (wait.date ?? -Infinity) - wait.delayMs;
					return (
						(wait.project ?? projectId) === projectId &&
						!isOlder &&
						firstAt > (wait.sentAt ?? -Infinity) &&
						firstAt >= wait.runningAt - wait.delayMs &&
						(owners.get(id) ?? wait.made.videoId) === wait.made.videoId
					);
				});
			for (let isNews = true; isNews;) {
				isNews = false;
				for (const wait of due.filter(({ given }) => given === undefined)) {
					const [only, ...others] = list(wait);
					if (!only || others.length > 0) continue;
					const isDoubted = mistrusted.some(
						({ project, until }) =>
							until > endedAt &&
							(project === undefined || wait.project === undefined || project === wait.project),
					);
					if (isDoubted) wait.reason = 'its project is mistrusted';
					// Its own entry may have left the list before it was waited for.
					else if (wait.date === undefined && wait.runningAt === -Infinity)
						wait.reason = 'nothing is known of it';
					else wait.given = only.id;
					if (wait.given === undefined) continue;
					owners.set(only.id, wait.made.videoId);
					isNews = true;
				}
			}
			for (const wait of due.filter(({ given }) => given === undefined)) {
				const count = list(wait).length;
				wait.reason ??= `${count} entries can be its own`;
				if (count === 0)
					mistrusted = [
						...mistrusted,
						{ project: wait.project, until: endedAt + 10 * wait.delayMs },
					];
			}
		}
	}

	/** Why the record alone does not tell what the process knows. */
	private findDoubt({ made, played, sentAt, looks }: Wait): string | undefined {
		const { cleared, plan, played: all, sandbox } = this.session;
		const { adds, charges, elsewhere, keys } = {
			adds: this.requests.filter(({ operation }) => operation === 'queue.add'),
			charges: sandbox.charges.filter(({ accountId }) => accountId === this.account),
			elsewhere: all.some(
				({ execution }) => execution.isElsewhere ?? execution.killAfterMs !== undefined,
			),
			keys: new Set(plan.workflows.flatMap(({ rows }) => rows.map(({ account }) => account))),
		};
		const again = charges.filter(
			({ queueId, videoId }) => queueId === made.queueId && videoId !== made.videoId,
		);
		if (again.some(({ at }) => at >= made.at && at <= played.endedAt))
			return 'its queue ID came again';
		if (elsewhere) return 'another process has read lists';
		if (cleared.has(made)) return 'it was cleared';
		if (plan.service.endedItemsLeaveAfterMs !== null) return 'it may have left the queue';
		if ((plan.service.listCacheMs ?? 0) > 0) return 'lists are cached';
		if (keys.has(0) && keys.has(2)) return 'the account has two keys';
		if (sentAt === undefined) return 'it was waited for before';
		if (looks.length === 0) return 'it was never seen';
		if (adds.some(({ closed }) => closed)) return 'an add was lost';
		return undefined;
	}

	list(): Opinion[] {
		return this.waits.flatMap((wait) => {
			const { made, played, row } = wait;
			const output = played.result?.outputs.find(
				({ pairedItem }) => (pairedItem as { item: number }).item === row,
			);
			const fields: IDataObject = {
				...output?.json,
				...(output?.json.details as IDataObject | undefined),
			};
			if (!('videoUrl' in fields)) return [];
			const url = fields.videoUrl as string | null;
			const video = fields.video as IDataObject | null | undefined;
			const isOwn = (id: unknown) => String(id).includes(made.videoId);
			const isOther = [url, video?.id].some((each) => Boolean(each) && !isOwn(each));
			const got = isOther ? "another's" : url === null ? 'none' : 'its own';
			const doubt = this.findDoubt(wait);
			const ruled =
				wait.given === undefined
					? (wait.reason ?? 'no list has settled it')
					: `the rules give ${wait.given}`;
			const isAllowed =
				got === 'its own' || doubt !== undefined || (got === 'none' && wait.given !== made.videoId);
			return [{ played, row, got, isAllowed, reason: doubt ?? ruled }];
		});
	}
}

/** Says of each output that shows a video, or that none could be told, whether that is as the design wants it. */
export const askSecondOracle = (session: Session): Opinion[] =>
	['main', 'other'].flatMap((account) => new Record(session, account).list());
