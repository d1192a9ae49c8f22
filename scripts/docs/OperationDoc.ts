import type { INodeProperties } from 'n8n-workflow';
import type { OutputSchema } from './OutputSchema';
import type { RecordedError } from './RecordedError';
import type { RecordedOutput } from './RecordedOutput';

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
	errors: RecordedError[];
}
