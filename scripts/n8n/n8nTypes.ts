import type { IRunExecutionData } from 'n8n-workflow';

/** The parts of n8n's REST bodies that are used here. */

export interface Credential {
	id: string;
	name: string;
	type: string;
}

export type CredentialContent = Omit<Credential, 'id'> & { data: object };

export interface WorkflowNode {
	id: string;
	name: string;
	type: string;
	typeVersion: number;
	position: [number, number];
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string; name: string }>;
	/** The last part of a trigger's addresses. n8n creates one if it is missing. */
	webhookId?: string;
}

export interface WorkflowContent {
	name: string;
	nodes: WorkflowNode[];
	connections: Record<string, unknown>;
	settings?: Record<string, unknown>;
}

export interface Workflow extends WorkflowContent {
	id: string;
	versionId: string;
}

export interface Execution {
	id: string;
	status: string;
	workflowId: string;
	stoppedAt: string | null;
	data: IRunExecutionData;
}
