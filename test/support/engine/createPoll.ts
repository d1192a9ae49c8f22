import type { INode, IPollFunctions, Workflow } from 'n8n-workflow';
import * as n8nCore from 'n8n-core';
import { hasFeature } from './testWith';

/** What n8n calls for a polling node: once when the workflow is activated, and then by its clock. */
type Poll = (isActivation: boolean) => Promise<void>;

/**
 * A poll as n8n's engine makes it.
 *
 * @param isCurrent whether the workflow has not been activated anew meanwhile; n8n then abandons the poll
 */
export function createPoll(
	workflow: Workflow,
	context: n8nCore.PollContext,
	isCurrent: () => boolean,
): Poll {
	if (!hasFeature('durableCursors')) return createOlderPoll(workflow, context);
	const executor = new n8nCore.PollTriggerExecutor(
		logger as never,
		new n8nCore.TriggersAndPollers(),
		tracing as never,
		errorReporter as never,
	);
	return executor.create(workflow, context.getNode(), context, isCurrent);
}

/** What older versions of n8n have in the place of the executor. */
interface OlderCore {
	ActiveWorkflows: new (...services: object[]) => {
		activatePolling(
			node: INode,
			workflow: Workflow,
			additionalData: undefined,
			getPollFunctions: () => n8nCore.PollContext,
		): Promise<void>;
	};
}

/** Older versions hand the clock a function at the activation, after the first poll. */
function createOlderPoll(workflow: Workflow, context: n8nCore.PollContext): Poll {
	return async (isActivation) => {
		let poll = async (): Promise<void> => {
			await Promise.resolve();
		};
		let isSkipped = !isActivation;
		const clock = {
			registerCron: (_context: unknown, onTick: () => Promise<void>) => {
				poll = onTick;
			},
		};
		const runPoll = async (_workflow: Workflow, node: INode, functions: IPollFunctions) => {
			const type = workflow.nodeTypes.getByNameAndVersion(node.type);
			return isSkipped ? null : ((await type.poll?.call(functions)) ?? null);
		};
		// Some versions do not let the clock wait for a poll, but trace it.
		let traced: Promise<unknown> = Promise.resolve();
		const tracer = {
			...tracing,
			startSpan: (options: unknown, run: (s: typeof span) => Promise<unknown>) => {
				traced = startSpan(options, run);
				return traced;
			},
		};
		const { ActiveWorkflows } = n8nCore as unknown as OlderCore;
		const active = new ActiveWorkflows(logger, clock, { runPoll }, errorReporter, tracer);
		await active.activatePolling(context.getNode(), workflow, undefined, () => context);
		if (!isSkipped) return;
		isSkipped = false;
		await poll();
		await traced;
	};
}

const ignore = () => undefined;
const logger = { scoped: () => logger, debug: ignore, error: ignore };
const errorReporter = { error: ignore };
const span = { setStatus: ignore };
const startSpan = async <T>(_options: unknown, run: (s: typeof span) => Promise<T>) =>
	await run(span);
const tracing = {
	startSpan,
	startNewTraceSpan: startSpan,
	pickWorkflowAttributes: () => ({}),
	pickNodeAttributes: () => ({}),
};
