import type { INodePropertyOptions } from 'n8n-workflow';
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

/** Every text that has whole sentences. */
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
	expect(texts.filter((text) => !isSentence(text))).toEqual([]);
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
	const operations = choices
		.filter(({ parameter }) => parameter === 'operation')
		.map(({ name, resource }) => {
			const shown = choices.find(
				(each) => each.parameter === 'resource' && each.value === resource,
			);
			return `${shown?.name} > ${name}`;
		});
	const OPERATION = /\b[A-Z]\w+ > [A-Z]\w+(?: [A-Z]\w+)?/g;
	const named = texts.join('\n');
	const quoted = [...named.matchAll(/(?<!\w)'([^']+)'(?!\w)/g)].map(([, name]) => name);
	expect(quoted.filter((name) => !fields.includes(name))).toEqual([]);
	expect(named.match(OPERATION)?.filter((name) => !operations.includes(name))).toEqual([]);
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
	const warning = choices.filter(isWarning).map(({ name }) => name);
	expect(warning).toEqual(['Add', 'Delete', 'Generate']);
});
