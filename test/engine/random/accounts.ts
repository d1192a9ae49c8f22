import type { IDataObject } from 'n8n-workflow';
import { generates, getStopMs, type Plan, type Workflow } from './Plan';
import { getAccount, type Session } from './Session';

/*
 * An account's outputs are the same with and without another account beside it: a plan with another account is played
 * once more without its workflows.
 */

const isOf = (account: string, { rows }: Workflow) =>
	rows.some((row) => getAccount(row) === account);

/** The plan without what the other account does; undefined if that may make a difference, or there is none. */
export function withoutOther(plan: Plan): Plan | undefined {
	const { changes, service, strangers, workflows } = plan;
	const own = workflows.filter((each) => isOf('main', each));
	// Of a service that tells now and then, all who ask learn how many videos can be made at once.
	// Accounts that number alike share turns, so their videos are made at other times, which a cached list shows or not.
	const isSteady =
		changes.length === 0 &&
		typeof (service.videoUrlInDetails ?? false) === 'boolean' &&
		(service.numberByAccount !== true || (service.listCacheMs ?? 0) === 0);
	const isSure = own.every(
		(each) =>
			!isOf('other', each) &&
			// Accounts that number alike make the videos of a project in turns, and so at other times.
			(service.numberByAccount !== true || generates(each)) &&
			each.executions.every(
				(execution) => execution.outage === undefined && !Number.isFinite(getStopMs(execution)),
			),
	);
	// A fault of a read affects whoever reads. Where turns are shared, one of an add may affect another row.
	const isCalm = workflows.every(({ executions }) =>
		executions.every(({ faults }) =>
			faults.every(
				({ operation }) => operation === 'queue.add' && service.numberByAccount !== true,
			),
		),
	);
	if (own.length === 0 || own.length === workflows.length || !isSteady || !isSure || !isCalm)
		return undefined;
	if (strangers.length > 0) return undefined;
	return {
		...plan,
		workflows: workflows.map((each) => (own.includes(each) ? each : { ...each, rows: [] })),
	};
}

/** What came of each row: its video, that none could be told, or an error. */
function listOutputs({ plan, played }: Session): Map<string, string> {
	const all = plan.workflows.flatMap((workflow, number) =>
		played
			.filter((each) => each.workflow === workflow && isOf('main', workflow))
			.flatMap(({ result }, nth) =>
				(result?.outputs ?? []).map(({ json, pairedItem }): [string, string] => {
					const { item } = pairedItem as { item: number };
					const { error, video, videoUrl } = json as {
						error?: unknown;
						video?: IDataObject;
						videoUrl?: string | null;
					};
					const told = videoUrl === undefined ? 'nothing' : videoUrl === null ? 'null' : 'a video';
					return [
						`row ${item} of workflow ${number}, execution ${nth}`,
						error === undefined ? `${told}${video ? ' with its entry' : ''}` : 'an error',
					];
				}),
			),
	);
	return new Map(all);
}

/** A sentence for each row that the other account has made a difference to. */
export function compare(beside: Session, alone: Session): string[] {
	const without = listOutputs(alone);
	return [...listOutputs(beside)].flatMap(([name, output]) => {
		const expected = without.get(name) ?? output;
		return output === expected
			? []
			: [`${name}: ${output}, and without the other account ${expected}`];
	});
}
