import { byId, GENERATE } from '../support/engine/OPERATIONS';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

const TEASER = 'project-product-teaser';

test.each([
	[
		'of another project, with Credits to Keep',
		'project-city-tour',
		{ options: { creditsToKeep: 0 } },
	],
	['of the same project', TEASER, { waitOptions: { videosAtOnce: 2 } }],
])(
	'With the node set to stop, a refused add ends the run before the next add %s',
	async (_which, project, more) => {
		service.sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth: 1 });
		const parameters = { ...GENERATE, projectId: byId('={{ $json.project }}'), ...more };
		const items = [{ project: TEASER }, { project }];
		const { error } = await service.run(parameters, { items });
		expect(error).toBeDefined();
		expect(service.listSent().filter((each) => each === 'queue.add')).toHaveLength(1);
	},
);
