import type { INode, INodeTypeDescription } from 'n8n-workflow';
import oldest from '../../scripts/oldest/package.json';
import type { Execution } from '../../scripts/n8n/n8nTypes';
import { readVideoFile } from '../../sandbox/files/readVideoFile';
import { pressButton } from '../support/e2e/apps/pressButton';
import { useApps } from '../support/e2e/apps/useApps';
import { readItems } from '../support/e2e/runContent';
import { DataTable } from '../support/e2e/DataTable';
import {
	describeExample,
	findMissingNodes,
	getSourceType,
	listExamples,
	listNamedExamples,
	readVersion,
} from '../support/e2e/describeExample';
import { McpClient } from '../support/e2e/McpClient';
import { ScriptedModel } from '../support/e2e/ScriptedModel';
import { setUpExample, type ExampleSetUp } from '../support/e2e/setUpExample';
import { listUnknownParameters } from '../support/listUnknownParameters';
import { useRealN8n } from '../support/e2e/useRealN8n';
import { waitFor } from '../../scripts/waitFor';

const OUR_TYPES = ['videoGeneration', 'videoGenerationTrigger', 'videoGenerationTool'];
const TEASER = 'project-product-teaser';
const TOUR = 'project-city-tour';
const COSTLY = 'project-launch-film';
const FAILING = 'project-broken-storyboard';
const SLOW = { pendingMs: 3_600_000 };
const QUICK = { pendingMs: 300, processingMs: 300, renderingMs: 300 };
/** The first examples, which are kept as they were published. */
const FIRST_EXAMPLES = ['queue-a-video', 'react-to-finished-videos'];
const TIMEOUT_MS = 180_000;

const apps = useApps('examples');
const { drive, slack } = apps;
const real = useRealN8n('examples', { environment: apps.environment });
afterAll(apps.stop);

let choices: ExampleSetUp['choices'];
beforeAll(async () => {
	const { id, name } = real.credential;
	const credentials = { videoGenerationApi: { id, name } };
	choices = await apps.choose(real.client);
	for (const type of OUR_TYPES) choices[`n8n-nodes-video-generation.${type}`] = { credentials };
});

/** Adds an example to n8n as a user does; `run` presses its trigger and waits for the end. */
async function take(name: string, setUp: Partial<ExampleSetUp> = {}) {
	const { client } = real;
	const { id } = await client.createWorkflow(setUpExample(name, { choices, ...setUp }));
	const run = async (trigger: string) =>
		await client.waitForExecution(await client.runWorkflow(id, trigger), TIMEOUT_MS);
	return { run };
}

/** Adds an example with a data table to n8n, and creates its table under a separate name. */
async function takeWithTable(
	name: string,
	tableName: string,
	settings: NonNullable<ExampleSetUp['settings']> = {},
) {
	const parameters = { tableName, dataTableId: { __rl: true, mode: 'name', value: tableName } };
	const example = await take(name, {
		choices: { ...choices, 'n8n-nodes-base.dataTable': { parameters } },
		settings,
	});
	expect((await example.run('Press once to make the table')).status).toBe('success');
	return { ...example, table: await DataTable.find(real.client, tableName) };
}

const readJson = (execution: Execution, node: string) =>
	readItems(execution, node).map(({ json }) => json);
const readFailure = ({ data }: Execution) => data.resultData.error?.message;

/** Returns the prompts of all adds that the service received, accepted or not. */
const listAsked = () =>
	real.sandbox.requests
		.filter(({ operation }) => operation === 'queue.add')
		.map(({ body }) => (body as { customPrompt?: string }).customPrompt);

describeExample('queue-a-video', 'The example that makes a video', () => {
	test('queues one video of the project updated last, and downloads it', async () => {
		real.sandbox.configure({ durations: QUICK });
		const execution = await (await take('queue-a-video')).run('When you press Execute');
		expect([execution.status, readFailure(execution)]).toEqual(['success', undefined]);
		expect(real.sandbox.readState().queue).toMatchObject([{ projectId: COSTLY }]);
		const [item] = readItems(execution, 'Make and download a video');
		const file = item?.binary?.data;
		const content = file && (await real.client.readBinary(file));
		expect(content?.equals(readVideoFile('launch-film'))).toBe(true);
	});
});

describeExample('react-to-finished-videos', 'The example that reacts to finished videos', () => {
	const TRIGGER = 'When a video is finished';

	test('runs at one click with the newest video, and passes its file on', async () => {
		real.sandbox.addVideos('main', [{ id: 'v1', projectId: TOUR }]);
		const execution = await (await take('react-to-finished-videos')).run(TRIGGER);
		expect([execution.status, readFailure(execution)]).toEqual(['success', undefined]);
		expect(readItems(execution, 'Pass it on')).toMatchObject([
			{ json: { id: 'v1' }, binary: { data: { mimeType: 'video/mp4' } } },
		]);
	});
});

describeExample('store-finished-videos', 'The example that stores finished videos', () => {
	const TRIGGER = 'When a video is finished';
	const run = async () => await (await take('store-finished-videos')).run(TRIGGER);

	test('uploads the whole file and tells the chat its link', async () => {
		real.sandbox.addVideos('main', [{ id: 'v1', projectId: TOUR }]);
		expect((await run()).status).toBe('success');
		expect(drive.files.map(({ name }) => name)).toEqual(['v1.mp4']);
		expect(drive.files[0]?.content.equals(readVideoFile('city-tour'))).toBe(true);
		expect(slack.texts).toEqual([
			`A video is finished: <https://drive.google.com/file/d/1/view|v1.mp4>\nProject: ${TOUR}`,
		]);
	});

	test('tells the chat of a video whose file cannot be downloaded', async () => {
		real.sandbox.addVideos('main', [{ id: 'v1', projectId: TOUR }]);
		real.sandbox.addFault({ kind: 'status', status: 410, operation: 'video.file' });
		expect((await run()).status).toBe('success');
		expect(drive.files).toEqual([]);
		expect(slack.texts).toEqual([expect.stringMatching(/could not be downloaded: .*\(410\)\n/)]);
		expect(slack.texts[0]).toContain(`${real.sandbox.url}/files/v1.mp4`);
	});

	test('tells the chat of a video that the drive does not take', async () => {
		real.sandbox.addVideos('main', [{ id: 'v1', projectId: TOUR }]);
		drive.uploadsLeft = 0;
		expect((await run()).status).toBe('success');
		expect(slack.texts).toEqual([expect.stringContaining('Google Drive did not take it: ')]);
		expect(slack.texts[0]).toContain(`${real.sandbox.url}/files/v1.mp4`);
	});

	test('tells the chat of each video that a poll finds whether the drive has taken it', async () => {
		const listed = ['v1', 'v2', 'v3'].map((id) => ({
			json: { id, projectId: TOUR, url: `https://api.example.com/${id}.mp4` },
			binary: {
				data: {
					...{ data: Buffer.from(id).toString('base64'), mimeType: 'video/mp4' },
					...{ fileName: `${id}.mp4`, fileExtension: 'mp4' },
				},
			},
		}));
		drive.uploadsLeft = 1;
		const { run } = await take('store-finished-videos', { pinData: { [TRIGGER]: listed } });
		const execution = await run(TRIGGER);
		expect([execution.status, readFailure(execution)]).toEqual(['success', undefined]);
		expect(drive.files).toEqual([{ name: 'v1.mp4', content: Buffer.from('v1') }]);
		const refused = (id: string) =>
			expect.stringMatching(
				new RegExp(`Google Drive did not take it: .+\\nVideo ${id}: https://.+/${id}.mp4$`),
			) as string;
		expect(slack.texts).toEqual([
			expect.stringContaining('|v1.mp4>'),
			...[refused('v2'), refused('v3')],
		]);
	});
});

describeExample('daily-videos-with-repair', 'The example that makes videos every day', () => {
	const START = 'Every day at eight';
	const ADD = 'Queue each video and wait for it';
	const SHORT_WAIT = { amount: 1, unit: 'seconds' };
	// The slow video must still be made when the workflow goes on waiting for it.
	const QUICK_WAIT = { pollingInterval: 1, listingDelay: 1 };
	const takeIt = async (videos: object[]) =>
		await take('daily-videos-with-repair', {
			changes: {
				"Set today's videos": { jsonOutput: JSON.stringify({ videos }) },
				[ADD]: { waitOptions: { ...QUICK_WAIT, timeout: 5 } },
				'Go on waiting for it': { waitOptions: QUICK_WAIT },
				'Queue once more what was refused': { waitOptions: QUICK_WAIT },
				'Give it time to appear': SHORT_WAIT,
				'Let the service recover': SHORT_WAIT,
			},
		});
	const findMessages = (text: string) => slack.texts.filter((message) => message.includes(text));

	test('repairs each failure by its cause and pays no video twice', async () => {
		const { sandbox } = real;
		const busy = { kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 300 } as const;
		sandbox.addFault({ ...busy, operation: 'queue.add', containing: 'busy', times: 1 });
		const lost = { kind: 'reset', phase: 'after' } as const;
		sandbox.addFault({ ...lost, operation: 'queue.add', containing: 'lost' });
		sandbox.configure({ durations: QUICK });
		const slowDown = () => {
			const slow = sandbox.readState().queue.find(({ customPrompt }) => customPrompt === 'slow');
			if (!slow) return;
			sandbox.changeQueueItem(slow.queueId, { durations: { processingMs: 8_000 } });
			stopListening();
		};
		const stopListening = sandbox.onRequest(slowDown);
		const { run } = await takeIt([
			{ project: TOUR, prompt: 'slow' },
			{ project: TEASER, prompt: 'fine' },
			{ project: COSTLY, prompt: 'lost' },
			{ project: TEASER, prompt: 'busy' },
			{ project: FAILING, prompt: 'fails' },
			{ project: 'nowhere', prompt: 'unknown' },
		]);
		const execution = await run(START);
		expect([execution.status, readFailure(execution)]).toEqual(['success', undefined]);

		expect(listAsked()).toEqual(['slow', 'fine', 'lost', 'busy', 'fails', 'unknown', 'busy']);
		const paid = sandbox.readState().queue.map(({ customPrompt }) => customPrompt);
		expect(paid).toEqual(['slow', 'fine', 'lost', 'fails', 'busy']);
		expect(findMessages('is ready')).toHaveLength(3);
		expect(findMessages(`project ${TOUR} is ready: ${sandbox.url}/files/`)).toHaveLength(1);
		const [asked = ''] = findMessages('may be queued');
		expect(asked).toContain(`• ${COSTLY}: lost`);
		expect(asked).toMatch(new RegExp(`• ${COSTLY}: ${sandbox.url}/files/`));
		const [failed = '', ...rest] = findMessages('could not be generated');
		expect([failed.includes('queue ID: '), rest]).toEqual([true, []]);
		expect(findMessages('Project: nowhere')).toHaveLength(1);
		expect(slack.texts).toHaveLength(6);
	});

	test('hands a video that is refused twice to a person, also when the list of videos fails', async () => {
		const { sandbox } = real;
		const busy = { kind: 'tooManyRequests', retryAfter: 'seconds', seconds: 300 } as const;
		sandbox.addFault({ ...busy, operation: 'queue.add', containing: 'busy' });
		sandbox.addFault({ kind: 'reset', operation: 'queue.add', containing: 'lost' });
		sandbox.addFault({ kind: 'status', status: 401, operation: 'video.getAll' });
		const { run } = await takeIt([
			{ project: TEASER, prompt: 'busy' },
			{ project: TOUR, prompt: 'lost' },
		]);
		expect((await run(START)).status).toBe('success');
		expect(listAsked()).toEqual(['busy', 'lost', 'busy']);
		expect(findMessages('The list of videos could not be read')).toHaveLength(1);
		expect(findMessages(`Project: ${TEASER}`)).toHaveLength(1);
		expect(slack.texts).toHaveLength(2);
	});
});

describeExample('agent-that-makes-videos', 'The example with an agent', () => {
	const TRIGGER = 'When a chat message comes';
	const model = new ScriptedModel();
	let modelChoice: ExampleSetUp['choices'];
	beforeAll(async () => {
		await model.start();
		const { id, name } = await real.client.createCredential({
			name: 'Scripted model',
			type: 'openAiApi',
			data: { apiKey: 'none', url: model.url },
		});
		const credentials = { openAiApi: { id, name } };
		modelChoice = { '@n8n/n8n-nodes-langchain.lmChatOpenAi': { credentials } };
	});
	afterAll(async () => {
		await model.stop();
	});

	async function startChat(chatInput: string): Promise<string> {
		const { client } = real;
		const { id } = await client.createWorkflow(
			setUpExample('agent-that-makes-videos', {
				choices: { ...choices, ...modelChoice },
				pinData: {
					[TRIGGER]: [{ json: { sessionId: 'session', action: 'sendMessage', chatInput } }],
				},
			}),
		);
		return await client.runWorkflow(id, TRIGGER);
	}

	const say = async (chatInput: string) =>
		await real.client.waitForExecution(await startChat(chatInput), TIMEOUT_MS);

	/** Says something after which the agent wants to queue a video, and answers the review. */
	async function sayAndReview(chatInput: string, label: string) {
		const { client } = real;
		const id = await startChat(chatInput);
		await waitFor('the review', async () => (await client.getExecution(id)).status === 'waiting');
		expect(listAsked()).toEqual([]);
		expect(await pressButton(client.address, slack.findButton(label))).toBe(200);
		return await client.waitForExecution(id, TIMEOUT_MS);
	}

	const orderSea = {
		tool: 'Queue_a_video',
		input: { toolParameters: { projectId: TEASER, customPrompt: 'The sea' }, hitlParameters: {} },
	};

	test('offers its model four tools, of which one costs, and tells it to ask before that one', async () => {
		model.play(['The product teaser would cost 1 credit. Shall I?']);
		const execution = await say('Make a teaser');
		expect(model.tools.map(({ name }) => name).sort()).toEqual([
			'List_the_projects',
			'Queue_a_video',
			'Read_the_credits_left',
			'Read_the_progress',
		]);
		const costly = model.tools.filter(({ description }) => description.includes('costs credits'));
		expect(costly.map(({ name }) => name)).toEqual(['Queue_a_video']);
		expect(JSON.stringify(model.requests[0])).toContain(
			'Queue it only after the user has said yes to exactly this.',
		);
		expect(readJson(execution, 'Video agent')).toMatchObject([
			{ output: 'The product teaser would cost 1 credit. Shall I?' },
		]);
		expect(listAsked()).toEqual([]);
	});

	test('reads by itself, and queues the video once a person has approved it', async () => {
		const { sandbox } = real;
		model.play([
			[
				{ tool: 'List_the_projects', input: {} },
				{ tool: 'Read_the_credits_left', input: {} },
			],
			[orderSea],
			() => [
				{
					tool: 'Read_the_progress',
					input: { queueId: sandbox.readState().queue[0]?.queueId },
				},
			],
			'It is on its way.',
		]);
		const execution = await sayAndReview('Yes', 'Queue it');
		expect([execution.status, readFailure(execution)]).toEqual(['success', undefined]);
		expect(slack.texts).toEqual([
			expect.stringContaining(`Project: ${TEASER}\nPrompt: The sea`) as string,
		]);
		expect(sandbox.charges).toMatchObject([{ projectId: TEASER, customPrompt: 'The sea' }]);
		const [item] = sandbox.readState().queue;
		const [projects = '', credits = '', added = '', progress = ''] = model.toolResults;
		expect(projects).toContain(TEASER);
		expect(credits).toContain('"remainingCredits":100');
		expect(JSON.parse(added)).toMatchObject([{ queueId: item?.queueId }]);
		expect(JSON.parse(progress)).toMatchObject([{ queueId: item?.queueId }]);
	});

	test('queues nothing that a person has declined, whatever its model wants', async () => {
		model.play([[orderSea], 'It was declined.']);
		const execution = await sayAndReview('Yes', 'Decline');
		expect([execution.status, readFailure(execution)]).toEqual(['success', undefined]);
		expect(listAsked()).toEqual([]);
		expect(real.sandbox.charges).toEqual([]);
		expect(model.toolResults).toEqual([expect.stringContaining('rejected') as string]);
	});

	test('queues no video that would leave fewer credits than are to be kept, approved or not', async () => {
		real.sandbox.setCredits('main', 10);
		model.play([[orderSea], 'There are too few credits.']);
		expect((await sayAndReview('Yes', 'Queue it')).status).toBe('success');
		expect(listAsked()).toEqual([]);
		expect(model.toolResults).toEqual([expect.stringMatching(/Credits to Keep/) as string]);
	});
});

describeExample('nothing-missed', 'The example that checks that nothing was missed', () => {
	const CHECK = 'Every hour';
	const TRIGGER = 'When a video is finished';
	const PASSED_ON = 'Pass it on';
	const HOUR_MS = 3_600_000;
	let tables = 0;

	const takeIt = async (settings?: ExampleSetUp['settings']) =>
		await takeWithTable('nothing-missed', `Videos passed on ${++tables}`, settings);
	/** Adds videos that were finished this many hours ago. */
	const addVideos = (hours: Record<string, number>) => {
		const videos = Object.entries(hours).map(([id, ago]) => ({
			...{ id, projectId: TOUR },
			createdAt: new Date(Date.now() - ago * HOUR_MS).toISOString(),
		}));
		real.sandbox.addVideos('main', videos);
	};
	const listIds = (execution: Execution) => readJson(execution, PASSED_ON).map(({ id }) => id);

	test('hands on once what was missed, and tells a person of it', async () => {
		addVideos({ before: 2 });
		const { run } = await takeIt();
		addVideos({ noted: 0.5 });
		expect(listIds(await run(TRIGGER))).toEqual(['noted']);
		addVideos({ 'too old': 30, missed: 3, 'missed too': 1, 'for the trigger': 0.1 });

		const execution = await run(CHECK);
		expect([execution.status, readFailure(execution)]).toEqual(['success', undefined]);
		expect(listIds(execution).sort()).toEqual(['missed', 'missed too']);
		expect(slack.texts).toEqual([
			expect.stringContaining('2 finished videos were missed, and are passed on now'),
		]);
		expect(slack.texts[0]).toContain(`• missed of project ${TOUR}: ${real.sandbox.url}/files/`);

		expect(listIds(await run(CHECK))).toEqual([]);
		expect(slack.texts).toHaveLength(1);
	});

	test('hands on what was missed also when the chat is out of order', async () => {
		const { run } = await takeIt();
		addVideos({ missed: 3 });
		slack.isDown = true;
		const execution = await run(CHECK);
		expect(execution.status).toBe('success');
		expect(listIds(execution)).toEqual(['missed']);
	});

	test('tells a person when the videos cannot be read', async () => {
		const { run } = await takeIt();
		real.sandbox.addFault({ kind: 'status', status: 401, operation: 'video.getAll' });
		expect((await run(CHECK)).status).toBe('success');
		expect(slack.texts).toEqual([expect.stringContaining('could not be checked')]);
	});

	test('tells of a video that the app refuses at each check, until it is taken', async () => {
		const refuses = {
			...{ type: 'n8n-nodes-base.stopAndError', typeVersion: 1 },
			parameters: { errorMessage: 'The app refuses it' },
		};
		const { run, table } = await takeIt({ [PASSED_ON]: refuses });
		addVideos({ refused: 1 });
		expect(readFailure(await run(TRIGGER))).toBe('The app refuses it');
		expect(await table.listRows(real.client)).toEqual([]);
		await run(CHECK);
		await run(CHECK);
		expect(slack.texts).toEqual([
			expect.stringContaining('• refused of'),
			expect.stringContaining('• refused of'),
		]);
	});
});

describeExample('videos-for-mcp-clients', 'The example for any MCP client', () => {
	const TOKEN = 'a-long-random-token';
	let address: string;
	let client: McpClient;
	beforeAll(async () => {
		const { id, name } = await real.client.createCredential({
			name: 'MCP clients',
			type: 'httpBearerAuth',
			data: { token: TOKEN },
		});
		const credentials = { httpBearerAuth: { id, name } };
		const example = await real.client.createWorkflow(
			setUpExample('videos-for-mcp-clients', {
				choices: { ...choices, '@n8n/n8n-nodes-langchain.mcpTrigger': { credentials } },
			}),
		);
		await real.client.activateWorkflow(example);
		address = `${real.client.address}/mcp/videos`;
		client = await waitFor('the MCP server', async () => {
			return await McpClient.connect(address, TOKEN).catch(() => undefined);
		});
	});
	afterAll(async () => {
		await client.close();
	});

	test('refuses a client without the token', async () => {
		await expect(McpClient.connect(address, 'another')).rejects.toThrow(
			'Authorization data is wrong',
		);
	});

	test('offers five tools, of which one costs, and instructions to ask before that one', async () => {
		const tools = await client.listTools();
		expect(tools.map(({ name }) => name).sort()).toEqual([
			'List_the_finished_videos',
			'List_the_projects',
			'Queue_a_video',
			'Read_the_credits_left',
			'Read_the_progress',
		]);
		const costly = tools.filter(({ description }) => description.includes('costs credits'));
		expect(costly).toMatchObject([
			{ name: 'Queue_a_video', inputSchema: { required: ['projectId', 'customPrompt'] } },
		]);
		expect(client.instructions).toContain('queue it only after the user has agreed');
	});

	test('finds a project, queues a video of it, follows it and finds its address', async () => {
		const { sandbox } = real;
		sandbox.configure({ durations: SLOW });
		expect(await client.call('List_the_projects')).toContain(TEASER);
		expect(await client.call('Read_the_credits_left')).toContain('"remainingCredits":100');
		await client.call('Queue_a_video', { projectId: TEASER, customPrompt: 'The sea' });
		expect(listAsked()).toEqual(['The sea']);
		const [{ queueId, videoId } = { queueId: '', videoId: '' }] = sandbox.readState().queue;
		expect(await client.call('Read_the_progress', { queueId })).toContain('pending');
		sandbox.finish(queueId);
		expect(await client.call('Read_the_progress', { queueId })).toContain('completed');
		const videos = await client.call('List_the_finished_videos', { projectId: TEASER });
		expect(videos).toContain(videoId);
		expect(videos).toContain(`${sandbox.url}/files/`);
	});

	test('is told what is wrong with a project', async () => {
		const input = { projectId: 'unknown', customPrompt: 'a' };
		expect(await client.call('Queue_a_video', input)).toContain("Check 'Project'");
	});

	test('makes no video that would leave fewer credits than are to be kept, however often it is called', async () => {
		real.sandbox.setCredits('main', 15);
		const results: string[] = [];
		for (let call = 0; call < 8; call += 1) {
			const input = { projectId: TEASER, customPrompt: `${call}` };
			results.push(await client.call('Queue_a_video', input));
		}
		expect(listAsked()).toEqual(['0', '1', '2', '3', '4']);
		for (const result of results.slice(5)) expect(result).toMatch(/Credits to Keep/);
	});
});

/** Returns the node that n8n makes a review from, with the operation of a review. */
function getOperation(node: INode): INode {
	if (!node.type.endsWith('HitlTool')) return node;
	return { ...node, parameters: { operation: 'sendAndWait', ...node.parameters } };
}

describe('The nodes of all examples', () => {
	const known = listExamples().filter((name) => findMissingNodes(name).length === 0);

	test('are there in the newest n8n, and in the oldest for the examples that the README names', () => {
		const isOldest = readVersion() === oldest.dependencies.n8n;
		expect(known).toEqual(isOldest ? listNamedExamples(readVersion()) : listExamples());
	});

	test('are known to this n8n, in their newest versions, with all of their parameters', async () => {
		// The examples are set up first, because n8n shows most parameters of a sheet only after it is
		// chosen. The choice of a channel fits Slack's messages, not its files.
		const chosen = { ...choices, 'n8n-nodes-base.slack': {} };
		const nodes = known.flatMap((example) =>
			setUpExample(example, { choices: chosen }).nodes.map((node) => ({ example, node })),
		);
		const nodeInfos = nodes.map(({ node: { type, typeVersion } }) => ({
			name: getSourceType(type),
			version: typeVersion,
		}));
		const types = await real.client.request<INodeTypeDescription[]>('POST', '/node-types', {
			nodeInfos,
		});
		const problems = nodes.flatMap(({ example, node }, index) => {
			const type = types[index];
			if (!type) return [`${example}: ${node.name} is of an unknown type or version`];
			const newest = Math.max(...[type.version].flat(), type.defaultVersion ?? 0);
			const isOld = node.typeVersion !== newest && !FIRST_EXAMPLES.includes(example);
			return [
				...(isOld ? [`typeVersion, which is now ${newest}`] : []),
				...listUnknownParameters(getOperation(node as INode), type),
			].map((problem) => `${example}: ${node.name}: ${problem}`);
		});
		expect(problems).toEqual([]);
	});
});
