import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import type {
	IDataObject,
	INodeExecutionData,
	INodeParameters,
	IRun,
	NodeApiError,
} from 'n8n-workflow';
import type { RecordedRequest } from '../../sandbox/control/requestLog';
import type { Charge } from '../../sandbox/domain/model';
import type { Sandbox } from '../../sandbox/Sandbox';
import { startSandbox } from '../../sandbox/startSandbox';
import { DeduplicationStore } from '../support/n8nServer/DeduplicationStore';
import { fakeAbortTimeout } from '../support/engine/fakeAbortTimeout';
import { loadPackage, loadPackageAnew } from '../support/engine/loadPackage';
import { byId, GENERATE, LISTING_DELAY, OPERATIONS } from '../support/engine/OPERATIONS';
import { type StartedNode, startNode } from '../support/engine/runNode';
import { listOpenRequests, passTime, runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { runTools } from '../support/engine/runTools';
import { interceptLookUps } from '../support/n8nServer/TestCredentialsHelper';
import type { Execution, Model, Plan, Workflow } from './Plan';
import { generates, getStopMs, getWaitOptions, isAdd, isGuarded, TROUBLE_FREE } from './Plan';

/** What n8n says where its database fails. */
export const DATABASE_ERROR = 'Connection terminated unexpectedly';

/** The account of a row: the third key is another one of the first. */
export const getAccount = ({ account }: IDataObject) => ACCOUNTS[Number(account) % 2] ?? 'main';
const ACCOUNTS = ['main', 'other'] as const;
export const CHANGED_KEY = 'changed-key-4711';
const HOUR_MS = 3_600_000;

/** What came of an execution. */
interface Ending {
	status: string;
	/** The data of all output items, those of the error output last; of a model, what it reads of each call. */
	outputs: INodeExecutionData[];
	error?: Pick<NodeApiError, 'message' | 'description' | 'context'>;
	run?: IRun;
}

/** An execution that was played. */
export interface Played {
	workflow: Workflow;
	execution: Execution;
	/** Retries of an execution belong to its chain. */
	chain: number;
	isRetry: boolean;
	/** Undefined if n8n was killed. */
	result: Ending | undefined;
	/** The requests that had reached the service before, and those that reached it meanwhile. */
	requestsBefore: number;
	requests: RecordedRequest[];
	startedAt: number;
	endedAt: number;
}

/** What happens to the execution under way. */
const NOTHING = {
	execution: TROUBLE_FREE,
	beganAt: 0,
	credentialCalls: 0,
	isKeyChanged: false,
	/** Nothing that it does has an effect any more, and nothing of it is saved. */
	isDead: false,
};

/** n8n's engine beside one service, in time that passes only when nothing else is left to do. */
export class Session {
	readonly played: Played[] = [];

	readonly logLines: string[] = [];

	/** What is left at the end: timers, and requests that are open. */
	left: string[] = [];

	/** The list of videos at the end, whoever has made them. */
	videos: ReturnType<Sandbox['readState']>['videos'] = [];

	/** The videos of queue items that were cleared by hand, and of those that fail. */
	readonly cleared = new Set<Charge>();

	readonly failing = new Set<Charge>();

	/** A last workflow, after all others: one video of each of their projects. */
	readonly last: Workflow | undefined;

	private readonly store = new DeduplicationStore();

	private timers = 0;

	private chains = 0;

	private isRestarted = false;

	private readonly strangers = new Set<Charge>();

	private planned = 0;

	private readonly undo: (() => void)[] = [];

	private current = { ...NOTHING };

	private constructor(
		readonly plan: Plan,
		readonly sandbox: Sandbox,
		/** Each plan has a service of its own: a process remembers which services tell. */
		private readonly address: string,
	) {
		this.last = createLast(plan);
	}

	/** Starts a service that plays many plans, one after the other. */
	static async open() {
		const sleeping = new Set<RecordedRequest>();
		const held: { session?: Session } = {};
		const wait = async (delayMs: number, request: RecordedRequest) => {
			held.session?.applyPlan();
			sleeping.add(request);
			await held.session?.pass(delayMs);
			sleeping.delete(request);
		};
		const sandbox = await startSandbox({ rateLimit: false, wait });
		const { clock, onRequest } = sandbox;
		const countSleeping = () => [...sleeping].filter(({ closed }) => closed !== true).length;
		let plans = 0;
		return {
			play: async (plan: Plan) => {
				sleeping.clear();
				sandbox.reset();
				passTime(24 * HOUR_MS);
				const session = new Session(plan, sandbox, `${sandbox.url}/${(plans += 1)}`);
				held.session = session;
				const service = { clock, onRequest, countSleeping };
				await runWithoutWaiting(session.play.bind(session), service).finally(session.close);
				return session;
			},
			close: sandbox.close,
		};
	}

	/** The keys of the main account, of another one, and the main account's second one. */
	get keys(): string[] {
		const { main, other } = this.sandbox.accounts;
		return [main.apiKey, other.apiKey, main.otherApiKey];
	}

	/** The adds that were accepted, in their order, without those of strangers. */
	get ownCharges(): Charge[] {
		return this.sandbox.charges.filter((charge) => !this.strangers.has(charge));
	}

	private async play(): Promise<void> {
		const { plan, sandbox } = this;
		sandbox.configure(plan.service);
		for (const fault of plan.slowness) sandbox.addFault(fault);
		const rows = plan.workflows.flatMap((workflow) => workflow.rows);
		for (const [index, account] of ACCOUNTS.entries()) {
			const own = rows.filter((row) => getAccount(row) === account);
			const projects = new Set(['p0-0', 'p1-0'].slice(index, index + 1));
			for (const { project } of own) projects.add(project as string);
			sandbox.addProjects(
				account,
				[...projects].map((id) => ({ id })),
			);
			sandbox.setCredits(account, plan.credits);
		}
		this.undo.push(
			sandbox.onRequest(({ operation }) => {
				// Any request may be the one whose response shows the key.
				const { current } = this;
				if (operation === 'queue.getProgress') current.isKeyChanged = current.execution.changesKey;
				this.applyPlan();
			}),
			fakeAbortTimeout(this.later),
		);
		this.breakN8n();
		for (const { atMs, processingMs } of plan.strangers) {
			this.later(atMs, () => {
				const { accounts } = sandbox.readState();
				const { credits = 0 } = accounts.find(({ id }) => id === 'main') ?? {};
				sandbox.setCredits('main', credits + 1);
				const queueId = sandbox.queueVideo('p0-0');
				const [charge, ...before] = [...sandbox.charges].reverse();
				if (charge) this.strangers.add(charge);
				// An order that is merged changes nothing.
				if (before.some((each) => charge && isSameItem(each, charge))) return;
				sandbox.changeQueueItem(queueId, { durations: { processingMs } }, 'main');
			});
		}
		for (const { atMs, service } of plan.changes) {
			this.later(atMs, () => {
				sandbox.configure(service);
			});
		}
		const workflows = plan.workflows.filter((each) => each.rows.length > 0);
		await Promise.all(workflows.map(this.playWorkflow.bind(this)));
		// Whatever went wrong is over: what can still be done is done now.
		for (const [index, account] of ACCOUNTS.entries()) {
			sandbox.setCredits(account, this.countNeeded(index));
		}
		const retry = async (workflow: Workflow) => {
			await this.perform(workflow, TROUBLE_FREE);
		};
		await Promise.all(workflows.filter(({ model }) => !model).map(retry));
		for (const account of ACCOUNTS) sandbox.setCredits(account, 1_000);
		if (this.last) await this.playWorkflow(this.last);
		await this.lookAround();
		this.videos = sandbox.readState().videos;
	}

	/** Leaves n8n's parts as they were, also after a plan that has not ended. */
	private readonly close = (): void => {
		for (const each of this.undo) each();
		jest.restoreAllMocks();
		new DeduplicationStore().use();
	};

	private async playWorkflow(workflow: Workflow): Promise<void> {
		if (!isAdd(workflow)) await this.queueVideos(workflow);
		for (const execution of workflow.executions) await this.perform(workflow, execution);
	}

	/** Queues what Queue > Wait waits for. */
	private async queueVideos({ rows, pauseMs, ...workflow }: Workflow): Promise<void> {
		const parameters = {
			...OPERATIONS['queue.add'],
			projectId: byId('={{ $json.project }}'),
			customPrompt: '={{ $json.prompt }}',
		};
		const settings = { ...workflow.settings, executeOnce: false };
		const adding = await this.start({
			...workflow,
			perRound: undefined,
			rows,
			pauseMs,
			settings,
			parameters,
		});
		const { items } = await adding.result;
		for (const [index, row] of rows.entries()) {
			const { queueId, createdAt } = items[index]?.json ?? {};
			const account = getAccount(row);
			const charge = this.sandbox.charges.find(
				(each) => each.accountId === account && each.customPrompt === row.prompt,
			);
			// The ID of another row would be given with the wrong project, or asked for with the wrong key.
			const others = items.filter((_, other) => rows[other]?.project === row.project);
			const next = others.findIndex(({ json }) => json.queueId === queueId) + 1;
			const { queueId: otherId, createdAt: otherDate } = (others[next] ?? others[0])?.json ?? {};
			const videoId = queueId && charge?.videoId;
			Object.assign(row, { queueId, createdAt, otherId, otherDate, videoId });
		}
		await this.pass(pauseMs);
	}

	private async start(
		{ rows, perRound, parameters, settings, isTyped }: Workflow,
		{ executionTimeout, isElsewhere = false }: Execution = TROUBLE_FREE,
		failed?: IRun,
	): Promise<StartedNode> {
		const baseUrl = isTyped ? ` ${this.address}/v1/` : this.address;
		return await startNode({
			parameters,
			// A sheet may have a column without a name, and a text may look like an expression.
			items: rows.map((row) => ({ '': 'Not this', text: '={{ 1 }}{{ [][0] }}', ...row })),
			perRound,
			settings,
			credentials: {
				baseUrl: `={{ $json.isAway ? 'http://127.0.0.1:1' : '${baseUrl}' }}`,
				apiKey: `={{ ${JSON.stringify(this.keys)}[$json.account] }}`,
			},
			workflowSettings: executionTimeout === undefined ? {} : { executionTimeout },
			loadNodes: this.isRestarted || isElsewhere ? loadPackageAnew : loadPackage,
			failed,
		});
	}

	/** Has a model call the node, to the end. */
	private async call({ rows, parameters, settings }: Workflow, model: Model): Promise<Ending> {
		const runs: IRun[] = [];
		const left = [...rows];
		const groups = model.groups.map((size) => left.splice(0, size));
		// Orders again until the model has its video, unless it is told not to.
		const insist = (before: string[]) => {
			const row = rows[before.length];
			const answer = before.at(-1) ?? 'error';
			const isTold = /do not order it again/i.test(answer);
			return row === undefined || isTold || !answer.includes('error') ? undefined : [row];
		};
		const apiKey = this.keys[rows[0]?.account as number] ?? '';
		const answers = await runTools({
			parameters,
			credentials: { baseUrl: this.address, apiKey },
			way: model.way,
			settings,
			calls: model.insists ? insist : groups,
			inspect: (run) => runs.push(run),
		});
		// A model reads the data of one item, or the text of an error.
		const outputs = answers.map((answer, item) => {
			const isData = answer.startsWith('[');
			const [json = {}] = isData ? (JSON.parse(answer) as IDataObject[]) : [{ error: answer }];
			return { json, pairedItem: { item } };
		});
		return { status: 'success', outputs, run: runs[0] };
	}

	private async perform(workflow: Workflow, execution: Execution): Promise<void> {
		const { sandbox, store } = this;
		const before = this.played.findLast((each) => each.workflow === workflow);
		const isRetry = execution.how !== 'run' && before?.result !== undefined;
		if (isRetry && before.result?.status !== 'error') return;
		await this.pass(execution.afterMs);
		const [requestsBefore, startedAt] = [sandbox.requests.length, Date.now()];
		const faults = execution.faults.map((fault) => sandbox.addFault(fault));
		this.current = { ...NOTHING, execution, beganAt: startedAt };
		const { keys, overwritten } = execution.failing;
		store.failingCalls = new Set(keys.map((call) => store.calls + call));
		store.overwrittenCalls = new Set(overwritten.map((call) => store.calls + call));
		const saved = isRetry && execution.how === 'retrySaved' ? workflow.saved : {};
		const parameters = { ...workflow.parameters, ...saved };
		const failed = isRetry ? before.result?.run : undefined;
		const playing = workflow.model
			? this.call(workflow, workflow.model)
			: this.run({ ...workflow, parameters }, execution, failed);
		const result = await Promise.race([playing, this.pass(6 * HOUR_MS)]);
		this.played.push({
			workflow,
			execution,
			isRetry,
			chain: isRetry ? before.chain : (this.chains += 1),
			result: this.current.isDead ? undefined : (result ?? undefined),
			requestsBefore,
			requests: sandbox.requests.slice(requestsBefore),
			startedAt,
			endedAt: Date.now(),
		});
		for (const fault of faults) sandbox.removeFault(fault);
		if (this.current.isDead) sandbox.clearFaults();
		this.current = { ...NOTHING };
	}

	private async run(workflow: Workflow, execution: Execution, failed?: IRun): Promise<Ending> {
		const { result, stop } = await this.start(workflow, execution, failed);
		const state = { isOver: false };
		const stopMs = getStopMs(execution);
		if (Number.isFinite(stopMs)) this.later(stopMs, stop);
		if (execution.killAfterMs !== undefined) {
			this.later(execution.killAfterMs, () => {
				if (state.isOver) return;
				this.current.isDead = true;
				this.isRestarted = true;
				this.sandbox.addFault({ kind: 'reset' });
			});
		}
		const { run, runs, errorRuns, error } = await result;
		state.isOver = true;
		// A round's items are rows of the workflow.
		const { perRound = 0 } = workflow;
		const outputs = runs.flatMap((items, round) =>
			[...items, ...(errorRuns[round] ?? [])].map((output) => {
				const { item } = output.pairedItem as { item: number };
				return { ...output, pairedItem: { item: item + round * perRound } };
			}),
		);
		return { run, status: run.status, outputs, error };
	}

	/** The credits that are just enough for what is left to be sent. A guard is drawn for a single workflow. */
	private countNeeded(account: number): number {
		const guarded = this.plan.workflows.find(isGuarded);
		if (!guarded) return 1_000;
		const { rows } = guarded;
		const last = this.played.at(-1);
		const first = this.played.find(({ chain }) => chain === last?.chain);
		const from = last?.result?.status === 'error' ? first?.requestsBefore : undefined;
		const sent = this.sandbox.requests
			.slice(from ?? this.sandbox.requests.length)
			.filter(({ operation, queueId }) => operation === 'queue.add' && queueId !== undefined)
			.map(({ body }) => body as { projectId: string; customPrompt?: string });
		const isSent = ({ project, prompt }: IDataObject) =>
			sent.some(
				({ customPrompt = '', projectId }) =>
					projectId === project && customPrompt.startsWith((prompt as string | undefined) ?? ''),
			);
		const left = rows.filter((row) => Number(row.account) % 2 === account && !isSent(row));
		const sum = left.reduce((all, { cost }) => all + (Number(cost) || 0), 0);
		return Math.ceil(sum + Math.max(...rows.map(({ keep }) => Number(keep) || 0)));
	}

	private breakN8n(): void {
		this.store.use().later = this.later;
		this.store.checkCaller = () => {
			if (this.current.isDead) throw new Error('The process was killed');
		};
		jest.spyOn(Container.get(Logger), 'info').mockImplementation((line: string) => {
			this.logLines.push(line);
		});
		interceptLookUps((found) => {
			const { beganAt, execution, isKeyChanged } = this.current;
			const { atMs = Infinity, forMs = 0 } = execution.outage ?? {};
			const sinceMs = Date.now() - beganAt - atMs;
			const isOut = sinceMs >= 0 && sinceMs < forMs;
			const hasFailed = execution.failing.credential.includes(++this.current.credentialCalls);
			if (isOut || hasFailed) throw new Error(DATABASE_ERROR);
			return isKeyChanged ? { ...found, apiKey: CHANGED_KEY } : found;
		});
		// Each plan waits as long between tries whenever it is played.
		let state = 7;
		jest
			.spyOn(Math, 'random')
			.mockImplementation(() => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647);
	}

	/** Gives each accepted video what is planned for it. */
	private applyPlan(): void {
		const { sandbox, plan } = this;
		const { charges } = sandbox;
		for (; this.planned < charges.length; this.planned += 1) {
			const charge = charges[this.planned];
			if (!charge || this.strangers.has(charge)) continue;
			const { accountId, queueId, videoId } = charge;
			const account = accountId as (typeof ACCOUNTS)[number];
			const [, workflow = 0, row] = /^Film (\d+)-(\d+)/.exec(charge.customPrompt ?? '') ?? [];
			const planned = plan.videos[2 * Number(workflow) + Number(row)];
			const isSame = (each: VideoOf) => isSameItem(each, charge);
			// An order that is merged changes nothing.
			if (!planned || charges.findIndex(isSame) < this.planned) continue;
			const { fails = false, clearedAfterMs, ...durations } = planned;
			const outcome = fails ? 'failed' : 'completed';
			sandbox.changeQueueItem(queueId, { durations, outcome }, account);
			if (fails) this.failing.add(charge);
			if (clearedAfterMs === undefined) continue;
			this.later(clearedAfterMs, () => {
				const { queue, videos } = sandbox.readState();
				const item = queue.find(isSame);
				const isListed = videos.some((each) => each.id === videoId && each.accountId === accountId);
				if (item?.left !== false || (item.status === 'completed' && !isListed)) return;
				// Orders that were merged are one item.
				for (const each of charges.filter(isSame)) this.cleared.add(each);
				sandbox.clear(queueId, account);
			});
		}
	}

	/** Notes what is left, and what still happens in the next quarter of an hour. */
	private async lookAround(): Promise<void> {
		// What was on its way at the end has arrived.
		await this.pass(1);
		const before = this.sandbox.requests.length;
		// The node waits for an add that was under way at Stop, to log its queue ID.
		await this.pass(HOUR_MS / 4);
		const timers = jest.getTimerCount() - this.timers;
		this.left = [
			...(timers > 0 ? [`${timers} timers`] : []),
			...listOpenRequests(),
			...this.sandbox.requests.slice(before).map(({ url }) => `${url} after the end`),
		];
	}

	private async pass(delayMs: number): Promise<void> {
		await new Promise<void>((resolve) => {
			this.later(delayMs, resolve);
		});
	}

	private readonly later = (delayMs: number, act: () => void): void => {
		this.timers += 1;
		setTimeout(() => {
			this.timers -= 1;
			// An item that has left the queue cannot be changed any more.
			this.applyPlan();
			this.sandbox.clock.advance(Math.max(0, Date.now() - this.sandbox.clock.now()));
			act();
		}, delayMs);
	};
}

type VideoOf = Pick<Charge, 'accountId' | 'videoId'>;

/** Accounts may number alike. */
const isSameItem = (one: VideoOf, other: VideoOf) =>
	one.videoId === other.videoId && one.accountId === other.accountId;

function createLast({ workflows }: Plan): Workflow | undefined {
	const waiting = workflows.filter((each) => generates(each) && each.rows.length > 0);
	if (!waiting[0]) return undefined;
	const { listingDelay = LISTING_DELAY } = getWaitOptions(waiting[0]);
	// Accounts that number alike share their lanes.
	const projects = new Map(
		waiting.flatMap(({ rows }) => rows.map(({ account, project }) => [project, account])),
	);
	return {
		...waiting[0],
		model: undefined,
		perRound: undefined,
		rows: [...projects].slice(0, 9).map(([project, account], index) => ({
			account,
			project,
			prompt: `Film ${workflows.length}-${index}`,
			overwrite: false,
		})),
		parameters: { ...GENERATE, waitOptions: { listingDelay } as INodeParameters },
		settings: { ...waiting[0].settings, onError: 'continueErrorOutput', executeOnce: false },
		executions: [{ ...TROUBLE_FREE, how: 'run' }],
	};
}
