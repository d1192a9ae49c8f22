import fs from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import { loadOutputSchema } from 'n8n-core';
import type { INodePropertyOptions } from 'n8n-workflow';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';
import { testWith } from '../support/engine/testWith';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';
import { type RecordedOutput, recordOutputs } from '../support/examples/recordOutputs';
import { type JsonObject, loadOpenApi } from '../support/sandbox/loadOpenApi';
import { listFields, listPromisedFields } from '../support/schemas/listFields';
import { loadSchema, NODE_FOLDER, type OutputSchema } from '../support/schemas/loadSchema';

const service = useSandbox();
useBinaryStore();

const SOURCES = path.resolve(__dirname, '../../nodes/VideoGeneration/__schema__');

const operations = new VideoGeneration().description.properties
	.filter(({ name }) => name === 'operation')
	.flatMap(({ options, displayOptions }) =>
		(options as INodePropertyOptions[]).map(
			({ value }) => `${displayOptions?.show?.resource?.[0] as string}.${String(value)}`,
		),
	);

const ajv = new Ajv({ allErrors: true, allowUnionTypes: true });
addFormats(ajv);
// n8n's own schemas state the version of their format.
ajv.addKeyword('version');

let recorded: RecordedOutput[];
beforeAll(async () => {
	recorded = await recordOutputs(service);
});
const getOutputs = (operation: string) =>
	recorded
		.filter((each) => each.operation === operation)
		.flatMap(({ output }) => output.map(({ json }) => json));

function walk(schema: OutputSchema): OutputSchema[] {
	const inside = [
		...Object.values(schema.properties ?? {}),
		...(schema.items ? [schema.items] : []),
	];
	return inside.flatMap((field) => [field, ...walk(field)]);
}

describe('The output schemas', () => {
	test('are one for each operation and no other', () => {
		const files = fs
			.readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
			.filter((file) => fs.statSync(path.join(SOURCES, file)).isFile())
			.map((file) => file.split(path.sep).join('/'));
		expect(files.sort()).toEqual(
			operations.map((name) => `v1.0.0/${name.replace('.', '/')}.json`).sort(),
		);
	});

	// n8n's editor requests none for a trigger ("Trigger nodes do not have schema previews"). Any
	// other reader would find a file without resource and operation for this folder's node as well.
	testWith(
		'outputSchemas',
		'are none that n8n would take for the trigger, nor for a node without its operation',
		async () => {
			await Promise.resolve();
			expect(
				loadOutputSchema({ nodeDir: NODE_FOLDER, version: 1, versionFallback: true }),
			).toBeUndefined();
		},
	);
});

describe.each(operations)('The output schema of %s', (operation) => {
	const schema = loadSchema(operation);

	test('is in the form that the editor shows: an object with typed fields, without references', () => {
		expect(schema.type).toBe('object');
		expect(Object.keys(schema.properties ?? {}).length).toBeGreaterThan(1);
		for (const field of walk(schema)) {
			const keys = ['type', 'description', 'format', 'nullable', 'properties', 'items'];
			expect(keys).toEqual(expect.arrayContaining(Object.keys(field)));
			// The editor uses only the first of several types, and shows no field of an object among
			// them.
			if (field.properties) expect(field.type).toBe('object');
			if (field.items) expect(field.type).toBe('array');
		}
	});

	test('explains every field in one sentence', () => {
		for (const field of Object.values(schema.properties ?? {}).flatMap((each) => [
			each,
			...Object.values(each.properties ?? each.items?.properties ?? {}),
		])) {
			expect(field.description).toMatch(/^[A-Z].{8,}[^.]$/);
		}
	});

	test('holds for everything that the operation returns', () => {
		const outputs = getOutputs(operation);
		expect(outputs.length).toBeGreaterThan(0);
		const validate = ajv.compile(schema);
		for (const output of outputs) {
			expect({ output, errors: validate(output) ? null : validate.errors }).toEqual({
				output,
				errors: null,
			});
		}
	});

	test('promises every field that the operation returns, and no other', () => {
		const returned = new Set(getOutputs(operation).flatMap((output) => listFields(output)));
		expect([...returned].sort()).toEqual(listPromisedFields(schema).sort());
	});
});

/** The path to an operation's output in the response of the service. */
const REPLIES: Record<string, [request: string, ...path: string[]]> = {
	'queue.add': ['POST /v1/queue/add', 'newQueueItem'],
	'queue.getProgress': ['GET /v1/queue/progress/{queueId}', 'details'],
	'video.getAll': ['GET /v1/videos', 'videos', '[]'],
	'project.getAll': ['GET /v1/projects', 'projects', '[]'],
	'account.get': ['GET /v1/user/account'],
};

/** The fields of the envelope that mean success; the node removes them. */
const ENVELOPE = ['status', 'message'];

function findReply(operation: string): JsonObject {
	const [request, ...steps] = REPLIES[operation] ?? [];
	const described = loadOpenApi().find(({ method, path }) => `${method} ${path}` === request);
	const body = described?.responses['200']?.content?.['application/json']?.schema;
	return steps.reduce<JsonObject>(
		(schema, step) =>
			(step === '[]' ? schema.items : (schema.properties as JsonObject)[step]) as JsonObject,
		body ?? {},
	);
}

describe.each(Object.keys(REPLIES))(
	"The output schema of %s beside the API's description",
	(name) => {
		const replied = findReply(name).properties as Record<string, OutputSchema>;
		const promised = loadSchema(name).properties ?? {};
		const fields = Object.keys(replied).filter(
			(field) => name !== 'account.get' || !ENVELOPE.includes(field),
		);

		test('has all its fields', () => {
			expect(fields.length).toBeGreaterThan(2);
			expect(Object.keys(promised)).toEqual(expect.arrayContaining(fields));
		});

		test.each(fields)('gives %s the same type', (field) => {
			expect(promised[field]?.type).toEqual(replied[field]?.type);
			// The specification calls a video's address a URI; n8n's users call it a string.
			if (field !== 'url') expect(promised[field]?.format).toBe(replied[field]?.format);
		});
	},
);

test("Queue > Add with 'Wait for Completion' returns the fields that Queue > Wait returns", () => {
	const [, withWait] = getOutputs('queue.add');
	const [finished] = getOutputs('queue.wait');
	expect(withWait).toHaveProperty('video.id');
	expect(Object.keys(withWait ?? {})).toEqual([...Object.keys(finished ?? {}), 'createdAt']);
});

describe('The trigger', () => {
	test('returns what Video > Get Many returns, and says beside it why a file could not be had', () => {
		const { properties = {} } = loadSchema('video.getAll');
		const outputs = getOutputs('trigger');
		expect(outputs.map((output) => Object.keys(output).length)).toEqual([4, 4, 5]);
		for (const output of outputs) {
			expect(Object.keys(output)).toEqual(expect.arrayContaining(Object.keys(properties)));
		}
		expect(outputs[2]?.downloadError).toEqual({
			message: expect.any(String) as string,
			description: expect.any(String) as string,
		});
	});
});
