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

/** What an operation gave in n8n's own engine. */
export interface RecordedOutput {
	/** `queue.add`; `trigger` for the trigger. */
	operation: string;
	/** What the document calls it; undefined when it does not show it. */
	example?: string;
	/** What was set in the node, beside resource and operation. */
	parameters: INodeParameters;
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
