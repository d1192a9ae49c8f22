import type { IBinaryData, INodeExecutionData, IRunExecutionData } from 'n8n-workflow';

/** The parts of n8n's REST bodies that are used here. */

export interface Owner {
	email: string;
	password: string;
	firstName: string;
	lastName: string;
}

export interface CredentialContent {
	name: string;
	type: string;
	data: Record<string, unknown>;
}

export interface Credential {
	id: string;
	name: string;
	type: string;
}

export interface CredentialTest {
	status: 'OK' | 'Error';
	message: string;
}

export interface WorkflowNode {
	id: string;
	name: string;
	type: string;
	typeVersion: number;
	position: [number, number];
	parameters: Record<string, unknown>;
	credentials?: Record<string, { id: string; name: string }>;
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
	active: boolean;
}

/** A file of an item. n8n stores its content under `id`, or without an `id` in `data` as base64. */
export type BinaryFile = IBinaryData;
export type ExecutionItem = INodeExecutionData;

export interface Execution {
	id: string;
	status: string;
	workflowId: string;
	startedAt: string;
	stoppedAt: string | null;
	workflowData: WorkflowContent;
	data: IRunExecutionData;
}
