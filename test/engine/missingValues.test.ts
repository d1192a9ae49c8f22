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
 * An expression for a column that the row lacks. Not tried here: values of a wrong type
 * (unit/parameters.test.ts), expressions that fail, and the fields of the trigger (trigger.test.ts).
 */
const NOTHING = '={{ $json.misspelt }}';

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

/** The fields of an operation: those of a collection by their path. */
function listFields(operation: string): [name: string, label: string, value: unknown][] {
	const [resource, name] = operation.split('.');
	const isOf = ({ displayOptions, name: field }: INodeProperties) =>
		!['resource', 'operation'].includes(field) &&
		displayOptions?.show?.resource?.includes(resource ?? '') === true &&
		displayOptions.show.operation?.includes(name ?? '') === true;
	const isShown = ({ displayOptions }: INodeProperties) =>
		displayOptions?.show?.['/operation']?.includes(name ?? '') ?? true;
	return new VideoGeneration().description.properties
		.filter(isOf)
		.flatMap((property): [string, string, unknown][] => {
			const { displayName, name: field, options = [], type } = property;
			if (type !== 'collection') {
				const value = type === 'resourceLocator' ? byId(NOTHING) : NOTHING;
				return [[field, displayName, value]];
			}
			return (options as (INodeProperties & INodePropertyCollection)[])
				.filter(isShown)
				.map((each) => [
					`${field}.${each.name}`,
					each.displayName,
					each.type === 'resourceLocator' ? byId(NOTHING) : NOTHING,
				]);
		});
}

const CASES = Object.keys(SET_UP).flatMap((operation) =>
	listFields(operation).map(([...field]) => [operation, ...field] as const),
);

test('All operations have fields', () => {
	expect(CASES.length).toBeGreaterThan(35);
});

test.each(CASES)(
	"%s with an expression without a value in '%s' sends nothing and names the field, unless it may be left out",
	async (operation, path, label, value) => {
		service.sandbox.configure({ videoUrlInDetails: true });
		const { items } = await service.run(OPERATIONS['queue.add']);
		service.sandbox.addVideos('main', [{ projectId: PROJECT }]);
		const { url } = (await service.run(OPERATIONS['video.getAll'])).items[0]?.json ?? {};
		service.sandbox.clearRequests();
		const [field = '', entry] = path.split('.');
		const parameters = {
			...SET_UP[operation],
			[field]: entry === undefined ? value : { [entry]: value },
		};
		const { error } = await runWithoutWaiting(
			async () =>
				await runNode({
					...service.setup(parameters as Parameters<typeof service.setup>[0]),
					items: [{ queueId: items[0]?.json.queueId, url }],
				}),
			service.sandbox,
		);
		if (isOptional(`${operation} ${path}`)) {
			expect(error?.message).toBeUndefined();
			return;
		}
		expect(`${error?.message} ${error?.description}`).toContain(`'${label}'`);
		expect(service.sandbox.requests).toEqual([]);
	},
);
