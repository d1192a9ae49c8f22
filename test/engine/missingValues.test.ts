import type {
	INodeProperties,
	INodePropertyCollection,
	NodeParameterValueType,
} from 'n8n-workflow';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';
import { ALL_OPERATIONS, byId } from '../support/engine/OPERATIONS';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
useBinaryStore();

/**
 * Expressions for a column that the row lacks, and for a value that no field takes. Not tried here: other values
 * (unit/item/parameters.test.ts), expressions that fail, and the fields of the trigger (trigger.test.ts).
 */
const NOTHING = '={{ $json.misspelt }}';
const OBJECT = '={{ ({ a: 1 }) }}';

/** Without a value, these fields mean what they mean when they are left out. */
const OPTIONAL = new Set([
	...['overwriteSettings', 'downloadVideo', 'queuedAt', 'returnAll', 'limit'],
	...['options.maxTries', 'options.fileName', 'sort.sort', 'sort.order'],
]);
const isOptional = (operation: string, path: string) =>
	OPTIONAL.has(path) ||
	path.startsWith('waitOptions.') ||
	`${operation} ${path}` === 'queue.wait projectId';

interface Field {
	path: string;
	label: string;
	isLocator: boolean;
}

/** The fields of an operation: those of a collection by their path. */
function listFields(operation: string): Field[] {
	const [resource, name] = operation.split('.');
	const isOf = ({ displayOptions, name: field }: INodeProperties) =>
		!['resource', 'operation'].includes(field) &&
		displayOptions?.show?.resource?.includes(resource ?? '') === true &&
		displayOptions.show.operation?.includes(name ?? '') === true;
	const isShown = ({ displayOptions }: INodeProperties) =>
		displayOptions?.show?.['/operation']?.includes(name ?? '') ?? true;
	const toField = (property: INodeProperties, path: string): Field => ({
		...{ path, label: property.displayName, isLocator: property.type === 'resourceLocator' },
	});
	return new VideoGeneration().description.properties.filter(isOf).flatMap((property) => {
		if (property.type !== 'collection') return [toField(property, property.name)];
		const options = property.options as (INodeProperties & INodePropertyCollection)[];
		return options.filter(isShown).map((each) => toField(each, `${property.name}.${each.name}`));
	});
}

test.each(Object.keys(ALL_OPERATIONS) as (keyof typeof ALL_OPERATIONS)[])(
	'%s with a field without a value, unless it may be left out, or with an object sends nothing and names the field',
	async (operation) => {
		service.sandbox.configure({ videoUrlInDetails: true });
		const fields = listFields(operation);
		if (operation !== 'account.get') expect(fields.length).toBeGreaterThan(1);
		for (const { path, label, isLocator } of fields) {
			for (const value of [NOTHING, OBJECT]) {
				const items = await service.createInput(operation);
				const [field = '', entry] = path.split('.');
				const given = isLocator ? byId(value) : value;
				const parameters: Record<string, NodeParameterValueType> = {
					...ALL_OPERATIONS[operation],
					downloadVideo: true,
					[field]: entry === undefined ? given : { [entry]: given },
				};
				const { error } = await service.run(parameters, { items });
				const text = `${error?.message} ${error?.description}`;
				const isTaken = value === NOTHING && isOptional(operation, path);
				const names = isTaken ? error === undefined : text.includes(`'${label}'`);
				const requests = isTaken ? 0 : service.sandbox.requests.length;
				const isAsPromised = { path, value, text, names: true, requests: 0 };
				expect({ path, value, text, names, requests }).toEqual(isAsPromised);
			}
		}
	},
);

test('An expression of 100 KB takes no longer because it looks like many fields', async () => {
	/** The processor time of a run, in milliseconds: others may be busy. */
	const measure = async (part: string) => {
		const text = part.repeat(100_000 / part.length);
		const customPrompt = `={{ $json.prompt /* ${text} */ }}`;
		const before = process.cpuUsage();
		const parameters = { ...ALL_OPERATIONS['queue.add'], customPrompt };
		const { items } = await service.run(parameters, { items: [{ prompt: 'A film' }] });
		expect(items).toHaveLength(1);
		return process.cpuUsage(before).user / 1000;
	};
	const plainMs = Math.max(await measure('a field '), await measure('a field '));
	for (const part of ['$json["', '$json["a" ', '$json["a"   "   ']) {
		expect(await measure(part)).toBeLessThan(3 * plainMs + 500);
	}
});
