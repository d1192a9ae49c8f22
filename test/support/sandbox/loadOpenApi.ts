import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parse } from 'yaml';

export type JsonObject = Record<string, unknown>;

/** One operation of `docs/openapi.yaml`, with every `$ref` replaced by what it names. */
export interface OpenApiOperation {
	method: string;
	path: string;
	requestBody?: {
		content: Record<string, { schema: JsonObject; examples?: JsonObject; example?: unknown }>;
	};
	responses: Record<
		string,
		{
			/** The content; undefined for responses without a body, such as 304. */
			content?: Record<
				string,
				{ schema: JsonObject; examples?: Record<string, { value: unknown }>; example?: unknown }
			>;
		}
	>;
}

const FILE = join(__dirname, '..', '..', '..', 'docs', 'openapi.yaml');

/** Returns the operations that `docs/openapi.yaml` describes. */
export function loadOpenApi(): OpenApiOperation[] {
	const document = parse(readFileSync(FILE, 'utf8')) as JsonObject;
	const { paths } = resolveRefs(document, document) as {
		paths: Record<string, Record<string, Omit<OpenApiOperation, 'method' | 'path'>>>;
	};
	return Object.entries(paths).flatMap(([path, methods]) =>
		Object.entries(methods).map(([method, operation]) => ({
			...operation,
			method: method.toUpperCase(),
			path,
		})),
	);
}

function resolveRefs(node: unknown, document: JsonObject): unknown {
	if (Array.isArray(node)) return node.map((entry) => resolveRefs(entry, document));
	if (typeof node !== 'object' || node === null) return node;
	if ('$ref' in node) return resolveRefs(findRef(String(node.$ref), document), document);
	return Object.fromEntries(
		Object.entries(node).map(([key, value]) => [key, resolveRefs(value, document)]),
	);
}

function findRef(ref: string, document: JsonObject): unknown {
	return ref
		.replace(/^#\//, '')
		.split('/')
		.reduce<unknown>((node, key) => (node as JsonObject)[key], document);
}
