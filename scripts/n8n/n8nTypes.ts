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

export interface ExecutionError {
	message: string;
	description?: string | null;
	node?: { name: string };
}

/** A file of an item. n8n stores its content under `id`, or without an `id` in `data` as base64. */
export interface BinaryFile {
	id?: string;
	data: string;
	fileName?: string;
	mimeType: string;
}

export interface ExecutionItem {
	json: Record<string, unknown>;
	binary?: Record<string, BinaryFile>;
}

/** One run of a node; a node in a loop has several. */
export interface NodeRun {
	executionIndex: number;
	executionStatus?: string;
	executionTime: number;
	error?: ExecutionError;
	/** The items of each output of the node. */
	data?: { main?: (ExecutionItem[] | null)[] };
}

export interface Execution {
	id: string;
	status: string;
	workflowId: string;
	startedAt: string;
	stoppedAt: string | null;
	workflowData: WorkflowContent;
	data: {
		resultData: {
			runData?: Record<string, NodeRun[]>;
			error?: ExecutionError;
			lastNodeExecuted?: string;
		};
	};
}
