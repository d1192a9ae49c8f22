import { buildAgent } from '../../support/e2e/buildAgent';
import { videoGeneration } from '../../support/e2e/buildWorkflow';
import { runContent } from '../../support/e2e/runContent';
import { byId, GENERATE, OPERATIONS, PROJECT } from '../../support/engine/OPERATIONS';
import { chat, real } from './n8n';

const { model } = chat;

/** The tools as set up by a user who lets the model fill in some of the fields. */
const FROM_MODEL = {
	projectId: byId("={{ $fromAI('projectId', 'The ID of the project', 'string') }}"),
	customPrompt: "={{ $fromAI('customPrompt', 'What the video is to show', 'string') }}",
};
const QUEUE_ID = "={{ $fromAI('queueId', 'The queueId of the video', 'string') }}";
const TOOLS = {
	'Generate a video': { ...GENERATE, ...FROM_MODEL },
	'Queue a video': { ...OPERATIONS['queue.add'], ...FROM_MODEL },
	'Get progress': { ...OPERATIONS['queue.getProgress'], queueId: QUEUE_ID },
	'Clear a video': { ...OPERATIONS['queue.clear'], queueId: QUEUE_ID },
	'List projects': { resource: 'project', operation: 'getAll', returnAll: true },
};

describe("In a real n8n, the AI Agent's model", () => {
	test.each([1.7, 2, 2.2, 3])(
		'of version %s reads why a tool has failed, and that a video must not be ordered again',
		async (version) => {
			const { sandbox } = real;
			const isOf = (containing: string) => ({ operation: 'queue.add' as const, containing });
			sandbox.addFault({ kind: 'status', status: 403, ...isOf('forbidden') });
			sandbox.addFault({ kind: 'status', status: 504, phase: 'after', ...isOf('lost') });
			const prompts = ['forbidden', 'lost', 'lost', 'A sea'];
			const orders = prompts.map((customPrompt) => [
				{ tool: 'Queue_a_video', input: { projectId: PROJECT, customPrompt } },
			]);
			model.play([...orders, 'Done']);
			const tools = Object.entries(TOOLS).map(([name, parameters]) =>
				videoGeneration(name, real.credential, parameters),
			);
			await runContent(real.client, buildAgent(chat.credential, tools, version));
			const [refused, lost, again, added] = model.toolResults;
			expect(refused).toContain('does not allow this');
			expect(lost).toMatch(/may have been queued and paid for.*Do not order it again/s);
			expect(again).toMatch(/may have been queued and paid for.*Do not order it again/s);
			expect(sandbox.charges.map(({ customPrompt }) => customPrompt)).toEqual(['lost', 'A sea']);
			expect(added).toContain(sandbox.charges[1]?.queueId);
		},
	);

	test('is told by each tool what it does, what costs credits and what is for good', () => {
		// Those that the newest agent, which ran last, has offered.
		const told = model.tools.map(({ name, description }) => `${name}: ${description}`);
		expect(told.sort()).toEqual([
			'Clear_a_video: Delete queue item permanently in Video Generation',
			'Generate_a_video: Generate video (costs credits) in Video Generation',
			'Get_progress: Get progress of queued video in Video Generation',
			'List_projects: Get many projects in Video Generation',
			'Queue_a_video: Queue video without waiting (costs credits) in Video Generation',
		]);
	});
});
