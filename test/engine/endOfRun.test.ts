/*
 * The end of a run: with the node set to stop, a refused add ends it before the next add, whatever turn that one
 * waits for. Which other work it ends stands in "stop.test.ts".
 */

import type { INodeParameters } from 'n8n-workflow';
import { byId, GENERATE, OPERATIONS } from '../support/engine/OPERATIONS';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

const TEASER = 'project-product-teaser';
const TOUR = 'project-city-tour';

const ADD = OPERATIONS['queue.add'];
const GUARD = { options: { creditsToKeep: 0 } };

test.each<[turn: string, project: string, parameters: INodeParameters]>([
	["its run's own", TOUR, ADD],
	["its run's own, with a guard", TOUR, { ...ADD, ...GUARD }],
	['a place in its lane', TEASER, GENERATE],
	["its project's", TEASER, { ...GENERATE, waitOptions: { videosAtOnce: 2 } }],
	["its account's credits", TOUR, { ...GENERATE, ...GUARD }],
	['both', TEASER, { ...GENERATE, ...GUARD, waitOptions: { videosAtOnce: 2 } }],
])(
	'With the node set to stop, a refused add ends the run before the next add, which waits for its turn: %s',
	async (_turn, project, parameters) => {
		service.sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth: 1 });
		const items = [{ project: TEASER }, { project }];
		const projectId = byId('={{ $json.project }}');
		const { error } = await service.run({ ...parameters, projectId }, { items });
		expect(error).toBeDefined();
		expect(service.listSent().filter((each) => each === 'queue.add')).toHaveLength(1);
	},
);
