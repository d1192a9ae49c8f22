import fc from 'fast-check';
import { stringify } from 'flatted';
import type { IRun } from 'n8n-workflow';
import { OPERATIONS } from '../../support/engine/OPERATIONS';
import { EACH_WAY, runTools, type ToolSetup, type Way } from '../../support/engine/runTools';
import { passTime, runWithoutWaiting } from '../../support/engine/runWithoutWaiting';
import { useSandbox } from '../../support/engine/useSandbox';
import { ADD_FAULTS } from './plans';
import { LONGEST_MS, playRandomly } from './runs';

const service = useSandbox();

const FAULTS = ADD_FAULTS.filter(([{ kind }]) => kind !== 'latency' && kind !== 'slowBody');

interface Setting {
	retryOnFail: boolean;
	maxTries: number;
	onError: 'continueRegularOutput' | undefined;
}

/**
 * Groups of calls, one after the other; the calls of a group come at once. Not drawn: calls that wait,
 * keys and credits to keep, and a model that fails after its tool has queued a video.
 */
type Groups = { prompt: string }[][];
type Troubles = ((typeof FAULTS)[number] | null)[];

const groups: fc.Arbitrary<Groups> = fc.array(
	fc.array(fc.record({ prompt: fc.constantFrom('sea', 'city') }), { minLength: 1, maxLength: 3 }),
	{ minLength: 1, maxLength: 3 },
);
const troubles: fc.Arbitrary<Troubles> = fc.array(
	fc.option(fc.constantFrom(...FAULTS), { freq: 2 }),
	{ maxLength: 5 },
);
const settings: fc.Arbitrary<Setting> = fc.record({
	retryOnFail: fc.boolean(),
	maxTries: fc.constantFrom(2, 3),
	onError: fc.constantFrom('continueRegularOutput' as const, undefined),
});

/** Has an agent call the node. @returns the texts that it receives, and what n8n keeps of the node */
async function call(
	calls: ToolSetup['calls'],
	fates: Troubles,
	{ onError, ...more }: Setting,
	way: Way,
) {
	const { sandbox } = service;
	sandbox.reset();
	// The node remembers the unknown fates of the case before this one for an hour.
	passTime(3_600_000);
	const operation = 'queue.add';
	for (const [index, fate] of fates.entries()) {
		if (fate) sandbox.addFault({ ...fate[0], operation, nth: index + 1 });
	}
	const { parameters, credentials } = service.setup({
		...OPERATIONS[operation],
		customPrompt: "={{ $fromAI('prompt', 'the prompt', 'string') }}",
	});
	const kept: string[] = [];
	const inspect = ({ data }: IRun) => kept.push(stringify(data));
	const setup = { parameters, credentials, calls, way, inspect };
	const answers = await runWithoutWaiting(
		async () => await runTools({ ...setup, settings: { ...more, ...(onError && { onError }) } }),
		sandbox,
	);
	return { answers, kept: kept.join() };
}

test.each(EACH_WAY)(
	'whatever happens to the calls of %s, each pays once',
	async (_name, way) => {
		await playRandomly([groups, troubles, settings], 0.5, async (calls, fates, setting) => {
			const { answers, kept } = await call(calls, fates, setting, way);
			const { sandbox } = service;
			const all = calls.flat();
			const adds = sandbox.requests.map(({ body }, index) => ({
				prompt: (body as { customPrompt: string }).customPrompt,
				fate: fates[index]?.[1] ?? 'told',
			}));
			for (const prompt of new Set(all.map((each) => each.prompt))) {
				const own = adds.filter((add) => add.prompt === prompt && add.fate !== 'refused');
				const ordered = all.filter((each) => each.prompt === prompt).length;
				expect(own.length).toBeLessThanOrEqual(ordered);
				const lost = own.findIndex(({ fate }) => fate === 'unknown');
				if (lost >= 0) expect(own.slice(lost + 1)).toEqual([]);
			}
			expect(answers).toHaveLength(all.length);
			if (fates.every((fate) => !fate)) {
				expect(sandbox.charges).toHaveLength(all.length);
				expect(kept).not.toContain('videoGeneration":');
			}
			for (const { queueId } of sandbox.charges) {
				const isTold = adds.every(({ fate }) => fate === 'told');
				if (isTold) expect(answers.join()).toContain(queueId);
			}
			const isUnknown = adds.some(({ fate }) => fate === 'unknown');
			expect(answers.join().includes('may have been queued')).toBe(isUnknown);
			expect(answers.join() + kept).not.toContain(sandbox.apiKey);
		});
	},
	LONGEST_MS,
);

/** What a model orders for one wish, in other words each time. */
const WORDS = ['a sea', 'the sea', 'sea at dawn', 'a sunny sea', 'waves'];

/** Orders again until it has the video, unless it is told not to. */
function insist(answers: string[]): { prompt: string }[] | undefined {
	const prompt = WORDS[answers.length];
	const answer = answers.at(-1) ?? 'error';
	const isTold = /do not order it again/i.test(answer);
	return prompt === undefined || isTold || !answer.includes('error') ? undefined : [{ prompt }];
}

test.each(EACH_WAY)(
	'a model that orders again after each failed call by %s pays for one video, and gets it',
	async (_name, way) => {
		await playRandomly([troubles, settings], 0.5, async (fates, setting) => {
			const { answers } = await call(insist, fates, setting, way);
			const { charges, requests } = service.sandbox;
			const sent = requests.map((_request, index) => fates[index]?.[1] ?? 'told');
			expect(sent.slice(0, -1).filter((fate) => fate !== 'refused')).toEqual([]);
			expect(charges.length).toBeLessThanOrEqual(1);
			if (sent.at(-1) === 'told') expect(answers.at(-1)).toContain(charges[0]?.queueId);
			if (sent.at(-1) === 'refused') expect(answers).toHaveLength(WORDS.length);
		});
	},
	LONGEST_MS,
);
