import { startSandbox } from '../../../sandbox/startSandbox';
import { waitFor } from '../../../scripts/waitFor';
import { buildWorkflow, videoGenerationTrigger } from '../../support/e2e/buildWorkflow';
import { DURABLE_CURSORS, readItems, RealN8n, WITHOUT_EDITOR } from '../../support/e2e/RealN8n';

const [TOUR, TEASER] = ['project-city-tour', 'project-product-teaser'];
const REACT = { name: 'React', type: 'n8n-nodes-base.noOp' };
/** Beside other checks, a machine may need a minute. */
const BUSY_MS = 120_000;

test.each([
	['keeps the state of triggers with their workflows', 'trigger', WITHOUT_EDITOR],
	['has durable cursors', 'trigger-durable', { ...WITHOUT_EDITOR, ...DURABLE_CURSORS }],
])(
	'A trigger that is renamed, watches another project, and whose n8n restarts, emits each video once, if n8n %s',
	async (_how, name, settings) => {
		const sandbox = await startSandbox({ clock: 'real', rateLimit: false });
		const n8n = new RealN8n(name, settings);
		const finish = (projectId: string | undefined, ...ids: string[]) => {
			for (const id of ids) sandbox.addVideos('main', [{ id, projectId }]);
		};
		const countLists = () =>
			sandbox.requests.filter(({ operation }) => operation === 'video.getAll').length;
		const passPoll = async () => {
			const before = countLists();
			await waitFor('a poll', () => countLists() > before, BUSY_MS);
		};
		try {
			await n8n.start();
			const credential = await n8n.connect(sandbox);
			const publish = async (node: string, projectIds: unknown[]) => {
				const { parameters, ...step } = videoGenerationTrigger(node, credential);
				const trigger = { ...step, parameters: { ...parameters, projectIds } };
				const content = buildWorkflow('react', [trigger, REACT]);
				const workflow = await n8n.client.saveWorkflow('react', content);
				await n8n.client.activateWorkflow(workflow);
				// Unless n8n has durable cursors, its first poll is over by then.
				const getStatus = async () =>
					await n8n.client.request<{ status: string }>(
						'GET',
						'/workflows/react/publication-status',
					);
				await waitFor('n8n to publish', async () => (await getStatus()).status === 'published');
			};
			const list = async () =>
				(await n8n.listExecutions('react'))
					.flatMap((execution) => readItems(execution, REACT.name))
					.map(({ json }) => json.id);
			const expected: string[] = [];
			const expectNext = async (...ids: string[]) => {
				expected.push(...ids);
				const isListed = async () => (await list()).length >= expected.length;
				await waitFor(ids.join(), isListed, BUSY_MS);
			};
			finish(TOUR, 'old');
			await publish('Trigger', [TOUR]);
			finish(TEASER, 'other');
			finish(TOUR, 'first');
			await expectNext('first');
			// A project is added, and the node is renamed.
			await publish('Renamed', [TOUR, TEASER]);
			finish(TEASER, 'of both');
			await expectNext('of both');
			await n8n.client.deactivateWorkflow('react');
			finish(TEASER, 'while unpublished');
			await n8n.stop();
			finish(TOUR, 'while stopped');
			await n8n.start();
			await publish('Renamed', [TOUR, TEASER]);
			await expectNext('while unpublished', 'while stopped');
			await n8n.stop();
			finish(TOUR, 'while stopped again');
			await n8n.start();
			await expectNext('while stopped again');
			// Nothing is emitted later.
			await passPoll();
			await passPoll();
			expect(await list()).toEqual(expected);
		} finally {
			await n8n.stop();
			await sandbox.close();
		}
	},
);
