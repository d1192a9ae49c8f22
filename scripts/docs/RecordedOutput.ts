import type { IBinaryKeyData, IDataObject, INodeParameters } from 'n8n-workflow';

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
