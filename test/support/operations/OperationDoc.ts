import type { IBinaryKeyData, IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';

/** All that is known of one operation, or of the trigger. */
export interface OperationDoc {
	/** As in its notes: `queue.add`, `trigger`. */
	name: string;
	/** As displayed: `Queue: Add`. */
	title: string;
	/** What it does, in a sentence. */
	description: string;
	/** Those of this operation only, in the order of the panel. */
	parameters: INodeProperties[];
	schema: OutputSchema;
	examples: RecordedOutput[];
}

/** A JSON Schema, as far as the output schemas use it. */
export interface OutputSchema {
	type: string | string[];
	description?: string;
	format?: string;
	nullable?: boolean;
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
}

/** What an operation gave in n8n's own engine, and what it was given. */
export interface RecordedOutput {
	/** `queue.add`; `trigger` for the trigger. */
	operation: string;
	/** What sets it apart from the operation's other examples. */
	title: string;
	/** What was set in the node, beside resource and operation. */
	parameters: INodeParameters;
	/** Undefined where the operation looks at nothing of its input. */
	input?: IDataObject[];
	/** How many of the output's items are enough to see; all of them where it is left out. */
	shown?: number;
	output: { json: IDataObject; binary?: IBinaryKeyData }[];
}

/** An error that an operation gave in n8n's own engine. */
export interface RecordedError {
	/** `queue.add`; `trigger` for the trigger; `any` for what every operation can meet. */
	operation: string;
	/** When it comes, as a clause. */
	when: string;
	/** What n8n shows in red. */
	message: string;
	/** What n8n shows below it. */
	description: string;
}
