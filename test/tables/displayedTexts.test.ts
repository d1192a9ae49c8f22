import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { type INodePropertyOptions, NodeHelpers } from 'n8n-workflow';
import { VideoGenerationApi } from '../../credentials/VideoGenerationApi.credentials';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';
import { VideoGenerationTrigger } from '../../nodes/VideoGeneration/VideoGenerationTrigger.node';
import { binaryPropertyField } from '../../nodes/VideoGeneration/resources/fields';
import { listParameters } from '../support/listParameters';
import { listPromisedFields } from '../support/schemas/listFields';
import { loadSchema } from '../support/schemas/loadSchema';

// The rules of n8n's UX guidelines for a node's texts that n8n's lint plugins do not hold, or cannot
// see because a function makes the text.

const node = new VideoGeneration().description;
const trigger = new VideoGenerationTrigger().description;
const credential = new VideoGenerationApi();

const all = listParameters([...node.properties, ...trigger.properties, ...credential.properties]);
const choices = all
	.filter(({ type }) => type === 'options')
	.flatMap(({ name, displayOptions, options }) =>
		(options as INodePropertyOptions[]).map((option) => {
			const resource = displayOptions?.show?.resource?.[0];
			return { parameter: name, resource, ...option };
		}),
	);
const isOrder = (name: string) => ['sort', 'order'].includes(name);

/** What n8n tells a model that builds a workflow. */
const ofModels = [node, trigger].map(({ builderHint }) => builderHint?.searchHint ?? '');

/** Every text for people that has whole sentences. */
const texts = [
	...all.flatMap(({ description, hint, modes = [] }) => [
		...[description, hint],
		...modes.map((mode) => mode.hint),
	]),
	...choices.flatMap(({ description, action }) => [description, action]),
	...(node.hints ?? []).map(({ message }) => message),
	...[node.description, trigger.description],
].filter((text) => text !== undefined);

/** Words that n8n's title case does not capitalize. */
const SMALL = ['per', 'a', 'and', 'at', 'by', 'for', 'in', 'of', 'or', 'the', 'to'];

test('Every name that is displayed is in title case', () => {
	const isTitle = (name: string) =>
		name
			.split(' ')
			.every((word, index) => /^[A-Z]/.test(word) || (index > 0 && SMALL.includes(word)));
	const names = [
		...[node, trigger, credential, ...all].map(({ displayName }) => displayName),
		...choices.map(({ name }) => name),
	];
	expect(names.filter((name) => !isTitle(name))).toEqual([]);
});

test('Every text is in sentence case, with periods from the second sentence on', () => {
	const isSentence = (text: string) => {
		const plain = text.replace(/<[^>]+>/g, '');
		const isLong = /[.?!] '?[A-Z]/.test(plain);
		return (isLong ? /^[A-Z].*\.$/ : /^[A-Z].*[^.]$/).test(plain) && !/ {2}|\n/.test(plain);
	};
	expect([...texts, ...ofModels].filter((text) => !isSentence(text))).toEqual([]);
});

/** The number of words of each sentence of a text. */
const countWords = (text: string) =>
	text.split(/(?<=[.?!]) /).map((sentence) => sentence.split(' ').length);
const isShorterThan = (sentences: number) => (text: string) =>
	countWords(text).length <= sentences && countWords(text).every((words) => words <= 20);

test('A text explains in five sentences of 20 words at most', () => {
	// The codes of a failed credential test have a sentence each, in the words of a list.
	const isList = (text: string) => text.includes('ENOTFOUND: ');
	const explained = [...texts, ...ofModels];
	const long = explained.filter((text) => !isShorterThan(5)(text) && !isList(text));
	expect(long).toEqual([]);
	const ofLists = texts.filter(isList).flatMap(countWords);
	expect(ofLists.filter((words) => words > 20)).toEqual([]);
});

test('What a new node shows explains itself in two sentences of 20 words at most', () => {
	const { properties } = node;
	const values = NodeHelpers.getNodeParameters(properties, {}, true, false, null, node) ?? {};
	expect(values).toMatchObject({ resource: 'video', operation: 'generate' });
	const shown = properties.filter((field) =>
		NodeHelpers.displayParameter(values, field, { typeVersion: 1 }, node),
	);
	expect(shown.map(({ name }) => name)).toEqual(
		expect.arrayContaining(['projectId', 'customPrompt', 'downloadVideo', 'options']),
	);
	const explained = shown.flatMap(({ name, type, description = '', hint = '', options = [] }) => [
		...[description, hint],
		...(type === 'options' ? (options as INodePropertyOptions[]) : []).map(
			(choice) => choice.description ?? `${name} has no description`,
		),
	]);
	expect(explained.filter((text) => !isShorterThan(2)(text))).toEqual([]);
});

test('Every text that sends people to a field of the Settings tab names that tab', () => {
	const ofSettings = /'(Request Options|On Error|Execute Once)'/;
	const files = ['failures/texts.ts', 'item/parameters.ts', 'resources/hints.ts'];
	const sentences = files
		.flatMap((file) => readFileSync(join('nodes/VideoGeneration', file), 'utf8').split('\n'))
		.filter((line) => ofSettings.test(line) && !/^\s*(\/?\*|\/\/)/.test(line));
	expect(sentences.length).toBeGreaterThan(4);
	expect(sentences.filter((line) => !/settings\b/.test(line))).toEqual([]);
});

test('Every text names only fields and operations that can be seen', () => {
	const fields = [
		...all.map(({ displayName }) => displayName),
		// The Settings of every node have this field.
		'Execute Once',
		// The fields of the output, with the trigger's and the file's.
		...['queue.add', 'video.generate', 'project.getAll', 'video.getAll'].flatMap((each) =>
			listPromisedFields(loadSchema(each)),
		),
		...['downloadError', binaryPropertyField.default],
	];
	const resources = choices.filter(({ parameter }) => parameter === 'resource');
	const operations = choices
		.filter(({ parameter }) => parameter === 'operation')
		.map(({ name, resource }) => {
			return `${resources.find(({ value }) => value === resource)?.name} > ${name}`;
		});
	const OPERATION = /\b[A-Z]\w+ > [A-Z]\w+(?: [A-Z]\w+)?/g;
	const named = texts.join('\n');
	const quoted = [...named.matchAll(/(?<!\w)'([^']+)'(?!\w)/g)].map(([, name]) => name);
	expect(quoted.filter((name) => !fields.includes(name))).toEqual([]);
	expect(named.match(OPERATION)?.filter((name) => !operations.includes(name))).toEqual([]);
});

test('What models read names the values that they write, without the signs that n8n escapes', () => {
	const values = choices
		.filter(({ parameter }) => ['resource', 'operation'].includes(parameter))
		.map(({ value }) => value);
	const names = all.map(({ name }) => name);
	const find = (pattern: RegExp) =>
		ofModels.flatMap((text) => [...text.matchAll(pattern)].map(([, name]) => name));
	expect(ofModels.filter((text) => text === '' || /[<>]/.test(text))).toEqual([]);
	expect(find(/(?<!\w)'(\w+)'/g).filter((value = '') => !values.includes(value))).toEqual([]);
	expect(find(/options\.(\w+)/g).filter((name = '') => !names.includes(name))).toEqual([]);
	expect(ofModels[0]).toMatch(/resource: 'video', operation: 'generate'.*options\.uniqueKey/);
});

test('Sorting is below the options', () => {
	const names = node.properties
		.filter(({ displayOptions }) => displayOptions?.show?.resource?.[0] === 'project')
		.map(({ name }) => name);
	expect(names.slice(-2)).toEqual(['options', 'sort']);
});

test('A time says its unit below its field', () => {
	const times = all.filter(({ name }) => /^(timeout|pollingInterval|listingDelay)$/.test(name));
	expect(times.length).toBeGreaterThan(2);
	for (const { hint } of times) expect(hint).toMatch(/^In seconds/);
});

test('Every action is short and without articles', () => {
	const actions = choices.flatMap(({ action }) => action ?? []);
	const isShort = (text: string) => text.length <= 45 && !/\b(a|an|the|its|your)\b/i.test(text);
	expect(actions.filter((action) => !isShort(action))).toEqual([]);
});

test('Every field is explained, and every choice, unless its name says it all', () => {
	const isPlain = ({ name, type }: (typeof all)[number]) =>
		type === 'collection' || ['resource', 'operation', 'event'].includes(name) || isOrder(name);
	const explained = [
		...all.filter((field) => !isPlain(field)),
		...choices.filter(({ parameter }) => !isOrder(parameter)),
	];
	const isExplained = ({ description = '' }) => /^[A-Z].{10,}/.test(description);
	expect(explained.filter((each) => !isExplained(each))).toEqual([]);
});

test('An operation that costs credits or cannot be undone says so', () => {
	const isWarning = ({ action, description }: (typeof choices)[number]) =>
		/costs credits|cannot be undone/.test(`${action} ${description}`);
	const isWriting = ({ routing }: (typeof choices)[number]) =>
		(routing?.request?.method ?? 'GET') !== 'GET';
	expect(choices.filter(isWriting)).not.toEqual([]);
	expect(choices.filter(isWarning)).toEqual(choices.filter(isWriting));
});
