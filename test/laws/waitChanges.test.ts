import fc from 'fast-check';
import type { IDataObject, INodeExecutionData } from 'n8n-workflow';
import { byId, GENERATE, OPERATIONS, WAIT } from '../support/engine/OPERATIONS';
import { playTogether } from '../support/engine/playTogether';
import { type NodeResult, type NodeSetup, runNode } from '../support/engine/runNode';
import { passTime } from '../support/engine/runWithoutWaiting';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';
import { testPlans } from './testPlans';
import { hasDates, isBlind } from './forms';
import { change, type Form, USUAL, write } from './waitForms';

/*
 * A service changes how it writes while rows wait for their videos. No row is given the video of another one, nothing is
 * paid twice, each wait ends, and each error names the queue ID and what to do. Where the change can be followed, each
 * row is given its own video.
 *
 * What can't be followed is drawn, too (see `isFollowed`), and its rows may come out without a video: another zone without
 * a word; entries without an address or a project, and progress without a status; an unknown word for a finished video,
 * where nothing else tells; IDs that change, or tell nothing; a service that told whose a video is, and stops; items that
 * leave the queue; Queue > Wait beside others of its project, or without the date of its item or of entries.
 *
 * Not drawn: queue IDs that change; several accounts. What a service does that always writes alike stands
 * in random.test.ts, and what a trigger does with such changes in triggerYears.test.ts.
 */

const PROJECTS = ['project-product-teaser', 'project-city-tour', 'project-launch-film'];
const ADD = {
	...OPERATIONS['queue.add'],
	projectId: byId('={{ $json.project }}'),
	customPrompt: '={{ $json.prompt }}',
};
const HOUR_MS = 3_600_000;
const DAY_MS = 24 * HOUR_MS;

const of = fc.constantFrom;
const ms = (max: number) => fc.nat(max / 100).map((tenths) => 100 * tenths);
const execution = fc
	.record({
		operation: of('generate', 'generate', 'wait'),
		/** The projects of its rows, which are equal otherwise. */
		rows: fc.array(fc.nat(2), { minLength: 1, maxLength: 4 }),
		afterMs: of(0, 0, 4_000, 30_000),
		downloadVideo: fc.boolean(),
		onError: of('stopWorkflow' as const, 'continueErrorOutput' as const),
		retryOnFail: fc.boolean(),
		hasDate: of(true, true, false),
	})
	.map((each) => (each.operation === 'wait' ? { ...each, rows: each.rows.slice(0, 2) } : each));
const day = fc
	.record({
		old: of(0, 1, 12, 60),
		first: fc.array(change, { maxLength: 2 }),
		changes: fc.array(fc.record({ atMs: ms(90_000), change }), { minLength: 1, maxLength: 3 }),
		executions: fc.array(execution, { minLength: 1, maxLength: 2 }),
		videos: fc.array(ms(40_000), { maxLength: 8 }),
		failing: fc.oneof(
			{ weight: 2, arbitrary: fc.constant<number[]>([]) },
			{ weight: 1, arbitrary: fc.array(fc.nat(7), { maxLength: 3 }) },
		),
		logDelayMs: of(0, 4_000, -4_000),
		leaves: of(false, false, true),
		hasDigits: fc.boolean(),
	})
	.map(({ first, ...drawn }) => {
		const form = Object.assign({}, USUAL, ...first) as Form;
		const isDated = drawn.executions.every(
			({ operation, hasDate }) => operation === 'generate' || (hasDate && hasDates(form)),
		);
		return { ...drawn, isDated, first: form };
	});
type Drawn<T> = T extends fc.Arbitrary<infer Value> ? Value : never;
type Day = Drawn<typeof day>;

/** What to do names an operation, a field or the executions of n8n. */
const HELP = /(Video|Queue) > [A-Z]|under '|under Executions|[Cc]heck '/;

const service = useSandbox();
useBinaryStore();

/** Plays a day. @returns what came of its executions */
async function playDay(plan: Day) {
	const { executions, first, changes, hasDigits, leaves, logDelayMs, ...drawn } = plan;
	const { sandbox } = service;
	sandbox.reset();
	passTime(DAY_MS);
	sandbox.configure({
		etags: 'none',
		videoUrlInDetails: true,
		numericQueueIds: hasDigits,
		endedItemsLeaveAfterMs: leaves ? 3_000 : null,
	});
	const old = Array.from({ length: drawn.old }, (_, index) => ({
		projectId: PROJECTS[index % 3] ?? '',
		createdAt: new Date(sandbox.clock.now() - (drawn.old - index) * 60_000).toJSON(),
	}));
	sandbox.addVideos('main', old);
	let startedAt = Infinity;
	const getForm = () => {
		const sinceMs = sandbox.clock.now() - startedAt;
		const done = [...changes].sort((a, b) => a.atMs - b.atMs).filter(({ atMs }) => sinceMs >= atMs);
		return Object.assign({}, first, ...done.map((each) => each.change)) as Form;
	};
	write(sandbox, getForm);
	let planned = 0;
	const stopPlanning = sandbox.onRequest(() => {
		for (const { queueId } of sandbox.charges.slice(planned)) {
			const processingMs = drawn.videos[planned] ?? 8_000;
			const outcome = drawn.failing.includes(planned++) ? 'failed' : 'completed';
			const durations = { pendingMs: 0, renderingMs: 0, processingMs, logDelayMs };
			sandbox.changeQueueItem(queueId, { durations, outcome });
		}
	});
	const setups: NodeSetup[] = [];
	for (const [index, each] of executions.entries()) {
		const { downloadVideo, hasDate, onError, operation, retryOnFail } = each;
		const rows = each.rows.map((project) => ({
			project: PROJECTS[project],
			prompt: `Film ${index}`,
		}));
		const { items: added } =
			operation === 'wait' ? await service.run(ADD, { items: rows }) : { items: [] };
		const parameters = {
			...(operation === 'wait' ? WAIT : GENERATE),
			...(operation === 'wait' && hasDate && { queuedAt: '={{ $json.createdAt }}' }),
			downloadVideo,
			waitOptions: { timeout: 120 },
		};
		setups.push({
			...service.setup(parameters),
			items: rows.map((row, i) => ({ ...row, ...added[i]?.json })),
			settings: { onError, retryOnFail, maxTries: 2 },
		});
	}
	startedAt = sandbox.clock.now();
	const play = async (setup: NodeSetup) => {
		const result = await runNode(setup);
		// Executions > Retry pays nothing again.
		if (!result.error || isFollowed(plan)) return result;
		return await runNode({ ...setup, failed: result.run });
	};
	const played = await playTogether(
		sandbox,
		setups.map((setup, index) => ({
			afterMs: executions[index]?.afterMs ?? 0,
			start: async () => await play(setup),
		})),
	);
	stopPlanning();
	return played;
}

/** What n8n shows of each error. */
const listErrors = ({ error, errorItems }: NodeResult) =>
	[
		...errorItems.map(({ json }) => json),
		...(error
			? [{ ...(error as object), message: error.message, description: error.description }]
			: []),
	].map((each) => JSON.stringify(each));

/** Whether each row is given its own video. */
function isFollowed({ changes, executions, failing, first, isDated, leaves }: Day): boolean {
	const forms = [first, ...changes.map(({ change: each }) => ({ ...USUAL, ...each }))];
	const isWhole = forms.every(({ names: { url, projectId }, statusName, words }) =>
		[url !== 'link', !projectId, statusName === 'status', words !== 'unknown'].every(Boolean),
	);
	const ids = new Set(forms.map(({ id, names }) => `${id} ${names.id ?? ''}`));
	const isKnown = ids.size === 1 && !isBlind(first);
	// One that tells goes on to.
	const told = changes.flatMap(({ change: { tells } }) => tells ?? []);
	const isTelling =
		told.every((each) => each === first.tells) || (first.tells === 'nothing' && told.length === 1);
	const zones = forms.map(({ date }) => (['ahead', 'behind'].includes(date) ? date : ''));
	const all = executions.flatMap(({ operation, rows }) =>
		rows.map((project) => ({ project, isWait: operation === 'wait' })),
	);
	const isApart = all.every(({ project, isWait }, index) =>
		all.every((other, i) => i === index || other.project !== project || !(isWait || other.isWait)),
	);
	const isZoned = new Set(zones).size === 1;
	const isOrdinary = !leaves && failing.length === 0;
	// Only its date tells Queue > Wait that an entry is older than its item.
	const isNew = all.every(({ isWait }) => !isWait) || forms.every(hasDates);
	return [isDated, isKnown, isNew, isTelling, isApart, isWhole, isZoned, isOrdinary].every(Boolean);
}

/** @returns a sentence for each law that is broken */
function judge(plan: Day, played: Awaited<ReturnType<typeof playDay>>): string[] {
	const { charges } = service.sandbox;
	const problems: string[] = [];
	for (const [index, { result, startedAt, endedAt }] of played.entries()) {
		const { rows = [], operation } = plan.executions[index] ?? {};
		const own = charges.filter(({ customPrompt }) => customPrompt === `Film ${index}`);
		const errors = listErrors(result);
		const shown = JSON.stringify([result.items, errors]);
		const say = (what: string) => problems.push(`execution ${index}: ${what}`);
		if (own.length > rows.length) say('paid twice');
		if (endedAt - startedAt > HOUR_MS) say('it has not ended');
		if (operation === 'generate')
			for (const { queueId } of own) if (!shown.includes(queueId)) say(`${queueId} is lost`);
		const count = result.items.length + result.errorItems.length;
		if (!result.error && count !== rows.length) say(`${count} items`);
		const outputs: INodeExecutionData[] = [...result.items, ...result.errorItems];
		for (const { json, binary } of outputs) {
			const fields = { ...json, ...(json.details as IDataObject) };
			const { videoId } =
				own.find(({ queueId }) => queueId === String(fields.queueId as number)) ?? {};
			const video = fields.video as IDataObject | null | undefined;
			const given = [video?.made, fields.videoUrl, binary?.data?.fileName].filter(Boolean);
			if (given.some((each) => !(each as string).includes(videoId ?? '?')))
				say(`another's: ${JSON.stringify(json)}`);
			else if (given.length === 0 && isFollowed(plan)) say(`none: ${JSON.stringify(json)}`);
		}
		if (errors.length > 0 && isFollowed(plan)) say(`failed: ${errors.join()}`);
		for (const error of errors) {
			// The ID of a Queue > Wait that ends the run is that of the item that n8n names.
			const isNamed =
				(operation === 'wait' && result.error !== undefined) ||
				own.some(({ queueId }) => error.includes(queueId));
			if (!isNamed || !HELP.test(error)) say(`no help: ${error}`);
		}
	}
	return problems;
}

testPlans(
	'Whatever changes in a service, no row is given the video of another one, and none is paid twice',
	day,
	{ usual: 20, share: 1 },
	async (drawn) => {
		expect(judge(drawn, await playDay(drawn))).toEqual([]);
	},
);
