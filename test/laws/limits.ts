import fc from 'fast-check';
import type { INodeParameters } from 'n8n-workflow';
import {
	generates,
	getEndMs,
	getListingDelayMs,
	getWaitOptions,
	isLimited,
	type Plan,
} from './Plan';
import { type Add, groupBy, type Item, type Law, type Records } from './records';

/** Plans with Max Videos, and executions that the instance's own timeout ends. */
export const limited = (plans: fc.Arbitrary<Plan>): fc.Arbitrary<Plan> =>
	fc
		.tuple(plans, fc.integer({ min: 1, max: 4 }), fc.constantFrom(undefined, 40_000, 90_000))
		.map(([plan, maxVideos, endsInMs]) => ({
			...plan,
			workflows: plan.workflows.map((workflow) => ({
				...workflow,
				parameters: {
					...workflow.parameters,
					options: { ...(workflow.parameters.options as INodeParameters), maxVideos },
				},
				executions: workflow.executions.map((execution) => ({
					...execution,
					...(generates(workflow) && !workflow.model && { endsInMs }),
				})),
			})),
		}));

/** The execution of an add with its retries; of ways in which calls share none, all of them. */
const nameExecution = ({ played: { chain, workflow } }: Add) =>
	workflow.model && !['tool', 'steps'].includes(workflow.model.way) ? 'calls' : String(chain);

/** Requests take a moment. */
const MOMENT_MS = 1_000;

/** The items of the project whose videos had surely come out of this process when an add was sent, the last ten. */
const listKnown = ({ inLanes, played }: Records, { at, body }: Add): Item[] =>
	inLanes
		.filter(
			({ isLost, leavesBy, project }) => !isLost && project === body.projectId && leavesBy < at,
		)
		.filter(({ hasFailed }) => !hasFailed)
		.filter(() =>
			played.every(
				({ execution }) => execution.killAfterMs === undefined && !execution.isElsewhere,
			),
		)
		.slice(-10);

export const LIMIT_LAWS: Record<string, Law> = {
	'No execution queues more than Max Videos, or may have': ({ adds }) => {
		const paid = adds.filter(
			({ fate, played }) => fate !== 'refused' && isLimited(played.workflow),
		);
		return groupBy(paid, nameExecution).flatMap(([name, all]) => {
			const { maxVideos } = all[0].played.workflow.parameters.options as INodeParameters;
			return all.length > Number(maxVideos) ? [`${all.length} of execution ${name}`] : [];
		});
	},

	'Nothing is sent whose video usually takes longer than n8n lets its execution go on': (records) =>
		records.adds.flatMap((add) => {
			const { at, played } = add;
			const { execution, startedAt, workflow } = played;
			const leftMs = startedAt + getEndMs(execution) - at + MOMENT_MS;
			if (!generates(workflow) || leftMs === Infinity) return [];
			const known = listKnown(records, add).map(({ charge, endsAt }) => endsAt - (charge?.at ?? 0));
			const isFirst = records.items.every(
				({ firstAt, project }) => firstAt >= at || project !== add.body.projectId,
			);
			const { pollingInterval = 5 } = getWaitOptions(workflow);
			const shortestMs = Number(pollingInterval) * 1_000 + getListingDelayMs(workflow);
			const usualMs = Math.max(0, ...known, ...(isFirst ? [shortestMs] : []));
			return leftMs < usualMs ? [`${leftMs} ms are left for ${usualMs} ms`] : [];
		}),
};
