import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020';
import addFormats from 'ajv-formats';
import { type JsonObject, loadOpenApi, type OpenApiOperation } from './loadOpenApi';

interface Exchange {
	method: string;
	/** Path, with or without a query. */
	url: string;
	status: number;
	contentType: string;
	body: unknown;
}

/**
 * Checks replies against `docs/openapi.yaml`: status and content type must be described there, and
 * the body must have exactly the described fields.
 *
 * @returns a function that rejects any other reply, and returns the name of a good one:
 *   `GET /v1/videos 200`
 */
export function createReplyChecker(): (exchange: Exchange) => Promise<string> {
	const ajv = new Ajv2020({ allErrors: true, strictTypes: false });
	addFormats(ajv);
	const operations = loadOpenApi();
	const compiled = new Map<string, ValidateFunction>();
	return async ({ method, url, status, contentType, body }) => {
		const operation = findOperation(await operations, method, url);
		const name = `${method} ${operation?.path ?? url} ${status}`;
		const reply = operation?.responses[String(status)];
		if (reply && !reply.content && body === '') return name;
		const described = reply?.content?.[contentType.split(';')[0] ?? ''];
		if (!described) throw new Error(`${name} (${contentType}) is not in docs/openapi.yaml`);
		const validate = compiled.get(name) ?? ajv.compile(forbidExtraFields(described.schema));
		compiled.set(name, validate);
		if (!validate(body)) throw new Error(`${name}: ${ajv.errorsText(validate.errors)}`);
		return name;
	};
}

function findOperation(
	operations: OpenApiOperation[],
	method: string,
	url: string,
): OpenApiOperation | undefined {
	const [path = ''] = url.split('?');
	return operations.find(
		(operation) =>
			operation.method === method &&
			new RegExp(`^${operation.path.replace(/\{\w+\}/g, '[^/]*')}$`).test(path),
	);
}

function forbidExtraFields(schema: JsonObject): JsonObject {
	const strict = Object.fromEntries(
		Object.entries(schema).map(([key, value]) => [
			key,
			isObject(value) ? forbidExtraFields(value) : value,
		]),
	);
	return isObject(schema.properties) && 'type' in schema
		? { ...strict, additionalProperties: false }
		: strict;
}

function isObject(value: unknown): value is JsonObject {
	return typeof value === 'object' && value !== null && !Array.isArray(value);
}
