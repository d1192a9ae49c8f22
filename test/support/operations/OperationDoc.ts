import type { IBinaryKeyData, IDataObject, INodeParameters, INodeProperties } from 'n8n-workflow';

/** All facts about one operation, or about the trigger. */
export interface OperationDoc {
	/** The name in its notes: `queue.add`, `trigger`. */
	name: string;
	/** The displayed name: `Queue: Add`. */
	title: string;
	/** A sentence that says what it does. */
	description: string;
	/** The parameters of this operation only, in the order of the panel. */
	parameters: INodeProperties[];
	schema: OutputSchema;
	examples: RecordedOutput[];
}

/** A JSON Schema, limited to the keywords that the output schemas use. */
export interface OutputSchema {
	type: string | string[];
	description?: string;
	format?: string;
	nullable?: boolean;
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
}

/** An output of an operation in n8n's own engine. */
export interface RecordedOutput {
	/** `queue.add`; `trigger` for the trigger. */
	operation: string;
	/** The document's title for the example; undefined if the document does not show it. */
	example?: string;
	/** The node's parameters, without resource and operation. */
	parameters: INodeParameters;
	output: { json: IDataObject; binary?: IBinaryKeyData }[];
}

/** An error of an operation in n8n's own engine. */
export interface RecordedError {
	/** `queue.add`; `trigger` for the trigger; `any` for errors that every operation can have. */
	operation: string;
	/** The circumstances of the error, as a clause. */
	when: string;
	/** The text that n8n shows in red. */
	message: string;
	/** The text that n8n shows below the message. */
	description: string;
}
