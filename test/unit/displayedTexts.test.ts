import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import ts from 'typescript';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { VideoGenerationApi } from '../../credentials/VideoGenerationApi.credentials';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';
import { VideoGenerationTrigger } from '../../nodes/VideoGeneration/VideoGenerationTrigger.node';
import { binaryPropertyField } from '../../nodes/VideoGeneration/resources/fields';
import { listPromisedFields } from '../support/schemas/listFields';
import { loadSchema } from '../support/schemas/loadSchema';

// The rules of n8n's UX guidelines for a node's texts, as far as a test can check them.

const node = new VideoGeneration().description;
const trigger = new VideoGenerationTrigger().description;
const credential = new VideoGenerationApi();

/** Lists every property, including those inside collections. */
function walk(properties: INodeProperties[]): INodeProperties[] {
	return properties.flatMap((property) => [
		property,
		...(property.type === 'collection' ? walk(property.options as INodeProperties[]) : []),
	]);
}

const all = walk([...node.properties, ...trigger.properties, ...credential.properties]);
const choices = all
	.filter(({ type }) => type === 'options')
	.flatMap(({ name, options }) =>
		(options as INodePropertyOptions[]).map((option) => ({ parameter: name, ...option })),
	);

/** Every text that has whole sentences, with the name of its location. */
const sentences: [string, string][] = [
	...all.flatMap(({ name, description, hint, modes = [] }) => [
		[`${name}: description`, description] as const,
		[`${name}: hint`, hint] as const,
		...modes.map((mode) => [`${name}, ${mode.name}: hint`, mode.hint] as const),
	]),
	...choices.flatMap(({ parameter, value, description, action }) => [
		[`${parameter} ${String(value)}: description`, description] as const,
		[`${parameter} ${String(value)}: action`, action] as const,
	]),
	...(node.hints ?? []).map(({ message }, index) => [`hint ${index}`, message] as const),
	['node: description', node.description],
	['trigger: description', trigger.description],
].filter((entry): entry is [string, string] => entry[1] !== undefined);

const ROOT = path.resolve(__dirname, '../..');

/** Lists the published code, relative to the project. */
function listCode(): string[] {
	return ['nodes', 'credentials'].flatMap((folder) =>
		readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
			.filter((file) => file.endsWith('.ts'))
			.map((file) => path.posix.join(folder, file.split(path.sep).join('/'))),
	);
}

/** Lists the texts in a file's code; a template is one text, with its placeholders as written. */
function listTexts(file: string): string[] {
	const texts: string[] = [];
	const visit = (node: ts.Node): void => {
		if (ts.isStringLiteralLike(node)) texts.push(node.text);
		else if (ts.isTemplateExpression(node)) texts.push(node.getText().slice(1, -1));
		ts.forEachChild(node, visit);
	};
	const code = readFileSync(path.join(ROOT, file), 'utf8');
	visit(ts.createSourceFile(file, code, ts.ScriptTarget.Latest, true));
	return texts;
}

/** Words that n8n's title case does not capitalize. */
const SMALL = ['per', 'a', 'and', 'at', 'by', 'for', 'in', 'of', 'or', 'the', 'to'];

describe('Every name that is displayed', () => {
	const names = [
		node.displayName,
		trigger.displayName,
		credential.displayName,
		...all.map(({ displayName }) => displayName),
		...choices.map(({ name }) => name),
	];
	test.each([...new Set(names)])('is in title case: %s', (name) => {
		const words = name.split(' ');
		for (const word of words.filter((each, index) => index === 0 || !SMALL.includes(each))) {
			expect(word).toMatch(/^[A-Z]/);
		}
	});
});

describe('Every text', () => {
	test.each(sentences)(
		'is in sentence case, with periods from the second sentence on: %s',
		(_where, text) => {
			const plain = text.replace(/<[^>]+>/g, '');
			const isLong = /[.?!] '?[A-Z]/.test(plain);
			expect(plain).toMatch(isLong ? /^[A-Z].*\.$/ : /^[A-Z].*[^.]$/);
			expect(plain).not.toMatch(/ {2}|\n/);
		},
	);

	test.each(sentences)('speaks without jargon: %s', (_where, text) => {
		expect(text).not.toMatch(
			/\b(payload|endpoint|boolean|array|string|null|json|parse|http|async|poll(s|ed|ing)?|regex|todo)\b/i,
		);
	});

	test.each(sentences)('names only what can be seen: %s', (_where, text) => {
		const seen = [
			...all.map(({ displayName }) => displayName),
			// The Settings of every node have this field.
			'Execute Once',
			// The fields of the output, with the trigger's and the file's.
			...['queue.add', 'video.generate', 'project.getAll', 'video.getAll'].flatMap((each) =>
				listPromisedFields(loadSchema(each)),
			),
			...['downloadError', binaryPropertyField.default],
		];
		for (const [, name = ''] of text.matchAll(/(?<!\w)'([^']+)'(?!\w)/g)) {
			expect(seen).toContain(name);
		}
		for (const [, resource, operation] of text.matchAll(
			/\b([A-Z]\w+) > ([A-Z]\w+(?: [A-Z]\w+)?)/g,
		)) {
			const { value } =
				choices.find(({ parameter, name }) => parameter === 'resource' && name === resource) ?? {};
			const operations = all.find(
				({ name, displayOptions }) =>
					name === 'operation' && displayOptions?.show?.resource?.includes(value as string),
			)?.options as INodePropertyOptions[] | undefined;
			expect(operations?.map(({ name }) => name)).toContain(operation);
		}
	});
});

describe('Every text in the code', () => {
	const names = new Set([
		...all.map(({ displayName }) => displayName),
		...[
			'Request Options',
			'Proxy',
			'Ignore SSL Issues (Insecure)',
			'Poll Times',
			'${field}',
			'${label}',
		],
	]);

	test.each(listCode())('has names of fields in single quotes, as n8n writes them: %s', (file) => {
		const quoted = listTexts(file).flatMap((text) =>
			[...text.matchAll(/"([^"]+)"/g)].map(([, name = '']) => name),
		);
		expect(quoted.filter((name) => names.has(name))).toEqual([]);
	});

	test.each(listCode())('says in which field in quotes another one is: %s', (file) => {
		for (const text of listTexts(file)) {
			expect(text).not.toMatch(/' (under|in) (Options|Wait Options|Request Options|Filters)\b/);
		}
	});
});

describe('Every action', () => {
	test.each(choices.flatMap(({ action }) => (action === undefined ? [] : [action])))(
		'is short and without articles: %s',
		(action) => {
			expect(action).not.toMatch(/\b(a|an|the|its|your)\b/i);
			expect(action.length).toBeLessThanOrEqual(45);
		},
	);
});

describe('Every field', () => {
	const texts = all.filter(({ type }) => type === 'string');
	const isSecret = ({ typeOptions }: INodeProperties) => typeOptions?.password === true;

	test.each(texts.map((field) => [field.name, field] as const))(
		'for text shows an example, unless it has a value or is a secret: %s',
		(_name, field) => {
			if (field.default !== '' || isSecret(field)) return;
			expect(field.placeholder).toMatch(/^e\.g\. \S/);
		},
	);

	test('to pick something from shows what, and an example of an ID', () => {
		for (const { modes = [] } of all.filter(({ type }) => type === 'resourceLocator')) {
			expect(modes.map(({ placeholder }) => placeholder)).toEqual([
				expect.stringMatching(/^Select a .*…$/),
				expect.stringMatching(/^e\.g\. \S/),
			]);
		}
	});

	test('to be switched on says "Whether"', () => {
		for (const { description } of all.filter(({ type }) => type === 'boolean')) {
			expect(description).toMatch(/^Whether /);
		}
	});

	test('that is optional stands in its place in the alphabet', () => {
		for (const { options } of all.filter(({ type }) => type === 'collection')) {
			const names = (options as INodeProperties[]).map(({ displayName }) => displayName);
			expect(names).toEqual([...names].sort());
		}
	});

	test('to add options to says what is added', () => {
		for (const { placeholder } of all.filter(({ type }) => type === 'collection')) {
			expect(placeholder).toMatch(/^Add [a-z]+$/);
		}
	});
});

describe('Every choice', () => {
	/** Parameters whose choices are explained by their names alone. */
	const PLAIN = ['sort', 'order'];

	test.each(choices.map(({ parameter, name, ...choice }) => [parameter, name, choice] as const))(
		'of %s is explained, unless its name says it all: %s',
		(parameter, _name, { description }) => {
			if (PLAIN.includes(parameter)) return;
			expect(description).toMatch(/^[A-Z].{10,}/);
		},
	);

	test('of an operation that costs credits or cannot be undone says so', () => {
		const isWarning = ({ action, description }: (typeof choices)[number]) =>
			/costs credits|cannot be undone/.test(`${action} ${description}`);
		expect(choices.filter(isWarning).map(({ name }) => name)).toEqual([
			'Generate',
			'Add',
			'Delete',
		]);
	});
});
