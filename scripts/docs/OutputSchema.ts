/** A JSON Schema, as far as the output schemas use it. */
export interface OutputSchema {
	type: string | string[];
	description?: string;
	format?: string;
	nullable?: boolean;
	properties?: Record<string, OutputSchema>;
	items?: OutputSchema;
}
