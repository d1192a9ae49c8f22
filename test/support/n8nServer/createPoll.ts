import type { INode, IPollFunctions, Workflow } from 'n8n-workflow';
import * as n8nCore from 'n8n-core';
import { hasFeature } from '../engine/testWith';

/**
 * The function that n8n calls for a polling node: once when the workflow is activated, and then by
 * its clock.
 */
type Poll = (isActivation: boolean) => Promise<void>;

/**
 * Creates a poll as n8n's engine does.
 *
 * @param isCurrent whether the workflow has not been reactivated meanwhile; otherwise, n8n abandons
 * the poll
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

/** The class that older versions of n8n have instead of the executor. */
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

/**
 * Creates a poll of older versions, which register a function with the clock at the activation,
 * after the first poll.
 */
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
		// The clock of some versions does not await a poll, but the tracer receives its promise.
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
