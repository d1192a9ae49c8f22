import { $RefParser } from '@apidevtools/json-schema-ref-parser';

export type JsonObject = Record<string, unknown>;

interface MediaType {
	schema: JsonObject;
	examples?: Record<string, { value: unknown }>;
	example?: unknown;
}

interface OpenApiOperation {
	requestBody?: { content: Record<string, MediaType> };
	/** The content is undefined for responses without a body, such as 304. */
	responses: Record<string, { content?: Record<string, MediaType> }>;
}

type Document = JsonObject & { paths: Record<string, Record<string, OpenApiOperation>> };

/** Returns the operations that `docs/openapi.yaml` describes, with every `$ref` replaced by what it names. */
export async function loadOpenApi() {
	const { paths } = await $RefParser.dereference<Document>('docs/openapi.yaml');
	return Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => {
			return { ...operation, method: method.toUpperCase(), path };
		}),
	);
}
