import type { IExecuteSingleFunctions } from 'n8n-workflow';
import { hashText } from '../api/hashText';
import type { FailureFacts } from '../failures/failure';
import { findMemory } from '../n8n/calls';

/** The name of our data in n8n's data of an execution. */
const KEY = 'videoGeneration';

/**
 * The order of an agent's call. A model that gets no good answer places it again: after an unknown fate, an
 * identical order is never placed. The calls of an AI Agent node share its execution, which keeps the fates. Those of
 * the MCP Server Trigger and of n8n's Agents share none: the process keeps them.
 */
export class AgentOrder {
	private readonly id: number;
	private readonly execution: { [KEY]?: Record<number, FailureFacts> } | undefined;

	constructor(context: IExecuteSingleFunctions, keyId: number, order: unknown) {
		this.execution = findMemory(context, 'flow');
		const executionId = this.execution ? context.getExecutionId() : '';
		this.id = hashText(JSON.stringify([executionId, keyId, order]));
	}

	/** Why the fate of an identical order is unknown. */
	findUnknownFate(): FailureFacts | undefined {
		if (this.execution) return this.execution[KEY]?.[this.id];
		const since = performance.now() - KEPT_MS;
		for (const [id, { at }] of unknownFates) if (at <= since) unknownFates.delete(id);
		return unknownFates.get(this.id)?.facts;
	}

	keepUnknownFate(facts: FailureFacts): void {
		if (this.execution) (this.execution[KEY] ??= {})[this.id] = facts;
		else unknownFates.set(this.id, { facts, at: performance.now() });
	}
}

/** How long the process keeps what calls have done that share no execution. */
const KEPT_MS = 3_600_000;

/** By the ID of their order. */
const unknownFates = new Map<number, { facts: FailureFacts; at: number }>();

/** When nodes have sent adds whose calls share no execution. A node is forgotten with its last call. */
const sentByNode = new Map<string, { sent: number[]; calledAt: number }>();

/**
 * When the execution has sent adds of the node: a list to be changed in place. n8n keeps it through rounds and retries; for
 * calls that share no execution, the process does.
 */
export function listSent(context: IExecuteSingleFunctions): number[] {
	const kept = findMemory(context, 'node') as { videosQueued?: number[] } | undefined;
	if (kept) return (kept.videosQueued ??= []);
	const now = performance.now();
	const since = now - KEPT_MS;
	for (const [node, { calledAt }] of sentByNode) if (calledAt < since) sentByNode.delete(node);
	// n8n gives the nodes of its Agents a new ID for each call, and no workflow.
	const { credentials, name } = context.getNode();
	const node = JSON.stringify([context.getWorkflow().id, name, credentials]);
	const { sent } = sentByNode.get(node) ?? { sent: [] };
	sentByNode.set(node, { sent, calledAt: now });
	while (sent[0] !== undefined && sent[0] < since) sent.shift();
	return sent;
}
