import type {
	INodeProperties,
	INodePropertyCollection,
	NodeParameterValueType,
} from 'n8n-workflow';
import { VideoGeneration } from '../../nodes/VideoGeneration/VideoGeneration.node';
import { byId, GENERATE, OPERATIONS, PROJECT, WAIT } from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
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

/** The parameters of each operation, with all of its fields in use. */
const SET_UP: Record<string, Record<string, NodeParameterValueType>> = {
	...OPERATIONS,
	'video.generate': { ...GENERATE, downloadVideo: true },
	'queue.wait': { ...WAIT, projectId: byId(PROJECT), downloadVideo: true },
	'video.download': { resource: 'video', operation: 'download', videoUrl: '={{ $json.url }}' },
};

/** Without a value, these fields mean what they mean when they are left out. */
const OPTIONAL = new Set([
	...['video.generate overwriteSettings', 'video.generate customPrompt'],
	...['queue.add overwriteSettings', 'queue.add customPrompt', 'queue.wait projectId'],
	...['video.generate downloadVideo', 'queue.wait downloadVideo'],
	...['queue.wait queuedAt', 'video.getAll returnAll', 'project.getAll returnAll'],
	...['video.getAll limit', 'project.getAll limit', 'video.download options.fileName'],
	...['project.getAll options.sort', 'project.getAll options.order'],
]);
const isOptional = (field: string) =>
	OPTIONAL.has(field) || /(options\.maxTries|waitOptions\.\w+)$/.test(field);

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

test.each(Object.keys(SET_UP))(
	'%s with a field without a value, unless it may be left out, or with an object sends nothing and names the field',
	async (operation) => {
		service.sandbox.configure({ videoUrlInDetails: true });
		service.sandbox.addVideos('main', [{ projectId: PROJECT }]);
		const [queueId] = await service.queueVideos(1);
		const { url } = (await service.run(OPERATIONS['video.getAll'])).items[0]?.json ?? {};
		const fields = listFields(operation);
		if (operation !== 'account.get') expect(fields.length).toBeGreaterThan(1);
		for (const { path, label, isLocator } of fields) {
			for (const value of [NOTHING, OBJECT]) {
				service.sandbox.clearRequests();
				const [field = '', entry] = path.split('.');
				const given = isLocator ? byId(value) : value;
				const parameters = {
					...SET_UP[operation],
					[field]: entry === undefined ? given : { [entry]: given },
				};
				const { error } = await runWithoutWaiting(
					async () =>
						await runNode({
							...service.setup(parameters),
							items: [{ queueId, url }],
						}),
					service.sandbox,
				);
				const text = `${error?.message} ${error?.description}`;
				const isTaken = value === NOTHING && isOptional(`${operation} ${path}`);
				const names = isTaken ? error === undefined : text.includes(`'${label}'`);
				const requests = isTaken ? 0 : service.sandbox.requests.length;
				const isAsPromised = { path, value, text, names: true, requests: 0 };
				expect({ path, value, text, names, requests }).toEqual(isAsPromised);
			}
		}
	},
);
