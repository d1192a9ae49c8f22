import type { OutputSchema } from './OperationDoc';
import { renderTable, renderText, type Terms } from './renderText';

/** Where the fields of a video are described. */
const VIDEO_LINK = '[Video: Get Many](#video-get-many)';

const TYPES: Record<string, string> = {
	string: 'text',
	integer: 'whole number',
	boolean: 'true or false',
	object: 'object',
	array: 'list',
	null: 'null',
};

/**
 * The fields of an operation's output as a table.
 *
 * @param video the fields of a video, which are not listed again
 */
export function renderFields(
	schema: OutputSchema,
	terms: Terms,
	video: OutputSchema = { type: 'object' },
): string {
	const isVideo = ([name, field]: [string, OutputSchema]) =>
		video.properties?.[name]?.description === field.description;
	const fields = Object.entries(schema.properties ?? {});
	const isWhole =
		video.properties !== undefined && isVideo(['id', schema.properties?.id ?? schema]);
	const own = isWhole ? fields.filter((field) => !isVideo(field)) : fields;
	const table = renderTable(
		['Field', 'Type', 'What it is'],
		listRows({ ...schema, properties: Object.fromEntries(own) }, '', terms, video),
	);
	return [isWhole ? `The fields of ${VIDEO_LINK}.` : '', table]
		.filter((part) => part !== '')
		.join('\n\n');
}

function listRows(
	schema: OutputSchema,
	prefix: string,
	terms: Terms,
	video: OutputSchema,
): string[][] {
	return Object.entries(schema.properties ?? {}).flatMap(([name, field]) => {
		const isVideo =
			isSame(field, video) || (field.items !== undefined && isSame(field.items, video));
		const text = renderText(field.description ?? '', terms);
		const row = [
			`\`${prefix}${name}\``,
			describeType(field),
			isVideo && !text.includes(VIDEO_LINK) ? `${text}; their fields: ${VIDEO_LINK}` : text,
		];
		return [row, ...(isVideo ? [] : listRows(field, `${prefix}${name}.`, terms, video))];
	});
}

function isSame({ properties }: OutputSchema, video: OutputSchema): boolean {
	return (
		properties !== undefined &&
		JSON.stringify(Object.keys(properties)) === JSON.stringify(Object.keys(video.properties ?? {}))
	);
}

function describeType({ type, format, nullable }: OutputSchema): string {
	if (format === 'date-time') return 'date and time';
	const types = [type].flat().map((each) => TYPES[each] ?? each);
	return [...types, ...(nullable ? ['null'] : [])].join(' or ');
}
