import fs from 'node:fs';
import path from 'node:path';
import { Ajv } from 'ajv';
import addFormats from 'ajv-formats';
import type { IDataObject, INodeParameters, INodePropertyOptions } from 'n8n-workflow';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';
import { ALL_OPERATIONS, byId, OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { passTime } from '../support/engine/runWithoutWaiting';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';
import { type JsonObject, loadOpenApi } from '../support/sandbox/loadOpenApi';
import { listFields, listPromisedFields } from '../support/schemas/listFields';
import { loadSchema, type OutputSchema } from '../support/schemas/loadSchema';

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

/** Queues videos that finish at the same time. */
const queue = async (count: number) =>
	(await service.run(OPERATIONS['queue.add'], { items: Array(count).fill({}) })).items.map(
		({ json }) => json,
	);
const makeVideo = async () => {
	await queue(1);
	service.sandbox.clock.advance(60_000);
	return (await service.run(OPERATIONS['video.getAll'])).items.map(({ json }) => json);
};

const WAIT_LONG = { projectId: byId(PROJECT), queuedAt: '={{ $json.createdAt }}' };

/** Runs after which an operation has returned everything that it can return; others return it with their usual input. */
const RUNS: Record<string, [parameters: INodeParameters, prepare: () => unknown][]> = {
	'video.generate': [
		[{}, () => [{}]],
		[{ waitOptions: { videosAtOnce: 2 } }, () => [{}, {}]],
	],
	'queue.wait': [
		[WAIT_LONG, () => queue(1)],
		[WAIT_LONG, () => queue(2)],
		[
			// The video is finished before the wait, which does not know its project.
			{ ...WAIT_LONG, projectId: '' },
			async () => {
				service.sandbox.addVideos('main', [{ projectId: 'project-city-tour' }]);
				const items = await queue(1);
				service.sandbox.clock.advance(60_000);
				return items;
			},
		],
	],
	'video.getAll': [[{}, makeVideo]],
};

async function run(name: keyof typeof ALL_OPERATIONS): Promise<IDataObject[]> {
	const all: IDataObject[] = [];
	for (const [parameters, prepare] of RUNS[name] ?? [[{}, () => service.createInput(name)]]) {
		service.sandbox.reset();
		// What a process knows of an account's videos counts for half an hour.
		passTime(60 * 60 * 1000);
		const items = (await prepare()) as IDataObject[];
		const output = await service.run({ ...ALL_OPERATIONS[name], ...parameters }, { items });
		if (output.error) throw output.error;
		all.push(...output.items.map(({ json }) => json));
	}
	return all;
}

const outputs = new Map<string, Promise<IDataObject[]>>();
/** Runs an operation once. An operation that fails fails its own tests alone. */
async function getOutputs(name: string): Promise<IDataObject[]> {
	const running = outputs.get(name) ?? run(name as keyof typeof ALL_OPERATIONS);
	outputs.set(name, running);
	return await running;
}

function walk(schema: OutputSchema): OutputSchema[] {
	const inside = [
		...Object.values(schema.properties ?? {}),
		...(schema.items ? [schema.items] : []),
	];
	return inside.flatMap((field) => [field, ...walk(field)]);
}

test('The output schemas are one for each operation and no other', () => {
	const files = fs
		.readdirSync(SOURCES, { recursive: true, encoding: 'utf8' })
		.filter((file) => fs.statSync(path.join(SOURCES, file)).isFile())
		.map((file) => file.split(path.sep).join('/'));
	expect(files.sort()).toEqual(
		operations.map((name) => `v1.0.0/${name.replace('.', '/')}.json`).sort(),
	);
});

describe.each(operations)('The output schema of %s', (operation) => {
	const schema = loadSchema(operation);

	test('is in the form that the editor shows: an object with typed fields, each explained in one sentence', () => {
		expect(schema.type).toBe('object');
		expect(Object.keys(schema.properties ?? {}).length).toBeGreaterThan(1);
		for (const field of walk(schema)) {
			const keys = ['type', 'description', 'format', 'nullable', 'properties', 'items'];
			expect(keys).toEqual(expect.arrayContaining(Object.keys(field)));
			// The editor uses only the first of several types, and shows no field of an object among
			// them.
			if (field.properties) expect(field.type).toBe('object');
			if (field.items) expect(field.type).toBe('array');
			else expect(field.description).toMatch(/^[A-Z].{8,}[^.]$/);
		}
	});

	test('holds for everything that the operation returns', async () => {
		const validate = ajv.compile(schema);
		const returned = await getOutputs(operation);
		expect(returned).not.toEqual([]);
		for (const output of returned) {
			validate(output);
			expect({ output, errors: validate.errors }).toEqual({ output, errors: null });
		}
	});

	test('promises every field that the operation returns, and no other, whatever becomes of a video, with what people use first', async () => {
		const promised = listPromisedFields(schema);
		const all = await getOutputs(operation);
		const returned = all.map((output) => listFields(output));
		expect([...new Set(returned.flat())].sort()).toEqual([...promised].sort());
		// The account's are in the order of the service.
		if (operation !== 'account.get') expect(returned[0]).toEqual(promised);
		const fields = Object.keys(schema.properties ?? {}).sort();
		for (const output of all) expect(Object.keys(output).sort()).toEqual(fields);
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

async function findReply(operation: string): Promise<JsonObject> {
	const [request, ...steps] = REPLIES[operation] ?? [];
	const operations = await loadOpenApi();
	const described = operations.find(({ method, path }) => `${method} ${path}` === request);
	const body = described?.responses['200']?.content?.['application/json']?.schema;
	return steps.reduce<JsonObject>(
		(schema, step) =>
			(step === '[]' ? schema.items : (schema.properties as JsonObject)[step]) as JsonObject,
		body ?? {},
	);
}

test.each(Object.keys(REPLIES))(
	"The output schema of %s has all fields of the API's description, with the same types",
	async (name) => {
		const replied = (await findReply(name)).properties as Record<string, OutputSchema>;
		const promised = loadSchema(name).properties ?? {};
		const fields = Object.keys(replied).filter(
			(field) => name !== 'account.get' || !ENVELOPE.includes(field),
		);
		expect(fields.length).toBeGreaterThan(2);
		for (const field of fields) {
			expect({ field, type: promised[field]?.type }).toEqual({ field, type: replied[field]?.type });
			// The specification calls a video's address a URI; n8n's users call it a string.
			if (field !== 'url') expect(promised[field]?.format).toBe(replied[field]?.format);
		}
	},
);

test('The output in docs/operations.md has the fields of a finished video', async () => {
	const document = fs.readFileSync(path.resolve(__dirname, '../../docs/operations.md'), 'utf8');
	const [, json = ''] = /```json\n(.+?)```/s.exec(document) ?? [];
	expect(listFields(JSON.parse(json))).toEqual(listFields((await getOutputs('video.generate'))[0]));
});
