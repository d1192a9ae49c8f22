import { join } from 'node:path';
import { $RefParser } from '@apidevtools/json-schema-ref-parser';

export type JsonObject = Record<string, unknown>;

type Content = Record<
	string,
	{ schema: JsonObject; examples?: Record<string, { value: unknown }>; example?: unknown }
>;

/** One operation of `docs/openapi.yaml`, with every `$ref` replaced by what it names. */
interface OpenApiOperation {
	method: string;
	path: string;
	requestBody?: { content: Content };
	/** The content is undefined for responses without a body, such as 304. */
	responses: Record<string, { content?: Content }>;
}

/** The part of the document that is used here. */
type Document = JsonObject & {
	paths: Record<string, Record<string, Omit<OpenApiOperation, 'method' | 'path'>>>;
};

const FILE = join(__dirname, '..', '..', '..', 'docs', 'openapi.yaml');

/** Returns the operations that `docs/openapi.yaml` describes. */
export async function loadOpenApi(): Promise<OpenApiOperation[]> {
	const { paths } = await $RefParser.dereference<Document>(FILE);
	return Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({
			...operation,
			method: method.toUpperCase(),
			path,
		})),
	);
}
