import axios from 'axios';
import type { INodeTypeDescription } from 'n8n-workflow';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';
import type { Credential, Execution, Workflow } from '../../../scripts/n8n/n8nTypes';
import { waitFor } from '../../../scripts/waitFor';
import { buildCalledWorkflow, makeItems, videoGeneration } from '../../support/e2e/buildWorkflow';
import { readItems } from '../../support/e2e/RealN8n';
import {
	type ExampleSetUp,
	getFormAddress,
	listExamples,
	setUpExample,
} from '../../support/e2e/setUpExample';
import { OPERATIONS } from '../../support/engine/OPERATIONS';
import { like } from '../../support/like';
import { listUnknownParameters } from '../../support/listUnknownParameters';
import { connectMcp } from './connectMcp';
import { apps, chat, real } from './n8n';
import { connectApps, TOKEN } from './useApps';

const TEASER = 'project-product-teaser';
const TOUR = 'project-city-tour';
const VIDEO = readVideoFile('city-tour');
const SLACK_FILE = { channel_id: 'C01', content: VIDEO };
const TIMEOUT_MS = 180_000;

const { model } = chat;
/** The fake model has OpenAI's older API alone. */
const CHANGES = { 'OpenAI chat model': { responsesApiEnabled: false } };

let credentials: Credential[];
beforeAll(async () => {
	credentials = [real.credential, chat.credential, ...(await connectApps(real.client))];
});

/** Adds an example to n8n as a user does; `run` presses its trigger and waits for the end. */
async function take(name: string, setUp: Partial<ExampleSetUp> = {}) {
	const { client } = real;
	const workflow = await client.createWorkflow(setUpExample(name, { credentials, ...setUp }));
	const run = async (trigger: string, expected?: string) =>
		await waitForEnd(await client.runWorkflow(workflow.id, trigger), expected);
	return { workflow, run };
}

async function waitForEnd(id: string, expected = 'success'): Promise<Execution> {
	const execution = await real.client.waitForExecution(id, TIMEOUT_MS);
	const { message } = execution.data.resultData.error ?? {};
	expect(`${execution.status}: ${message}`).toMatch(new RegExp(`^${expected}: `));
	return execution;
}

/** Presses a button of the question that a workflow asks before it pays, and waits for the end. */
async function pressButton(label: string, { id }: Workflow): Promise<void> {
	const { id: executionId = '' } = (await real.n8n.listExecutions(id)).at(-1) ?? {};
	await real.n8n.waitForStatus(executionId, 'waiting');
	expect(listPaid()).toEqual([]);
	await real.n8n.openLink(apps.links[label] ?? '');
	await waitForEnd(executionId);
}

/** The output of the trigger of a chat, to which nothing can be sent by hand. */
const CHAT = 'When a chat message comes';
const pinMessage = (chatInput: string) => ({
	[CHAT]: [{ json: { sessionId: 'session', action: 'sendMessage', chatInput } }],
});

const listPaid = () => real.sandbox.charges.map(({ customPrompt }) => customPrompt);
const findAddress = (prompt: string) => {
	const charge = real.sandbox.charges.find(({ customPrompt }) => customPrompt === prompt);
	return `${real.sandbox.url}/files/${charge?.videoId}.mp4`;
};

test('The example that makes a video for each row writes the link of each video to its row before the next is paid, says why a row failed, pays none twice, and goes on after a full drive', async () => {
	const trigger = 'When you press Execute';
	const ids = ['a', 'b', 'c', 'd', 'e'];
	const old = { id: 'old', project: TEASER, prompt: 'old', status: 'stored' };
	const edited = { id: 'edited meanwhile', project: 'nowhere', prompt: 'unknown' };
	const unknown = { id: 'unknown', project: 'nowhere', prompt: 'unknown' };
	const rows = ids.map((id) => ({ id, project: TEASER, prompt: id }));
	const incomplete = { id: 'no-prompt', project: TEASER };
	apps.columns = ['id', 'project', 'prompt', 'status', 'video', 'link', 'note'];
	apps.rows = [old, edited, unknown, ...rows, incomplete];
	apps.uploadsLeft = 3;
	const linksAtEachAdd: number[] = [];
	const stopListening = real.sandbox.onRequest(({ operation }) => {
		if (operation !== 'queue.add') return;
		apps.changeRow(edited.id, { id: 'edited' });
		linksAtEachAdd.push(apps.rows.filter(({ link }) => link).length);
	});
	const { run } = await take('video-for-each-row');
	const failed = await run(trigger, 'error');
	// The drive is full, so no later row is paid for. Once there is room, a person selects Retry.
	expect(listPaid()).toEqual(['a', 'b', 'c', 'd']);
	apps.uploadsLeft = Infinity;
	await waitForEnd(await real.client.retryExecution(failed.id, false));
	stopListening();
	expect(linksAtEachAdd).toEqual([0, 0, 0, 1, 2, 3, 4]);
	const stored = rows.map((row, index) => ({
		...row,
		status: 'stored',
		video: findAddress(row.id),
		link: `https://drive.google.com/file/d/${index + 1}/view`,
		note: '',
	}));
	const note = like(/\(400\).*'Project'.*To try again, delete the status\.$/);
	const refused = { ...unknown, status: 'check', video: '', note };
	expect(apps.rows).toEqual([old, { ...edited, id: 'edited' }, refused, ...stored, incomplete]);
	expect(apps.files.drive).toMatchObject(ids.map((id) => ({ name: `${id}.mp4` })));

	// What a person finds in the row afterwards, whatever a second run says of it.
	apps.changeRow('e', { status: '', note: 'Queue ID: 17' });
	await run(trigger);
	expect(listPaid()).toEqual(ids);
	const both = like(/key .*change the id.* Earlier: Queue ID: 17$/);
	expect(apps.rows.at(-2)).toEqual({ ...stored.at(-1), status: 'check', note: both });

	apps.columns[3] = 'Status';
	const before = [...apps.rows];
	await run(trigger);
	expect(apps.rows).toEqual(before);
});

test('The example that makes an idea a video on YouTube publishes one idea a run, and says in its row and in the chat what went wrong', async () => {
	const old = { id: 'old', project: TOUR, idea: 'An idea', status: 'published' };
	const first = { id: 'a', project: TOUR, idea: 'An idea' };
	const second = { id: 'b', project: TOUR, idea: 'An idea' };
	apps.columns = ['id', 'project', 'idea', 'status', 'title', 'video', 'link', 'note'];
	apps.rows = [old, first, second];
	const { run } = await take('idea-to-youtube', { changes: CHANGES });
	const runWith = async (prompt: string) => {
		const output = { title: `Title ${prompt}`, description: `About ${prompt}`, prompt };
		model.play([JSON.stringify({ output })]);
		await run('Every day at nine');
	};

	await runWith('a');
	const link = 'https://youtu.be/1';
	const texts = { status: 'published', title: 'Title a', link, note: '' };
	const published = { ...first, ...texts, video: findAddress('a') };
	expect(apps.rows).toEqual([old, published, second]);
	const snippet = { title: 'Title a', description: 'About a' };
	const status = { privacyStatus: 'unlisted' };
	expect(apps.files.youtube).toMatchObject([{ snippet, status, content: VIDEO }]);

	apps.uploadsLeft = 0;
	await runWith('b');
	const note = like(/^Upload the video to YouTube: \w+.*its video here and in YouTube Studio/);
	const refused = { ...second, status: 'check', video: findAddress('b'), note };
	expect(apps.rows).toEqual([old, published, refused]);
	expect(apps.texts).toEqual([
		`"Title a" is on YouTube: ${link}`,
		like(/^Row b of the sheet needs you: .+YouTube Studio/),
	]);

	// As after a killed n8n: the row's video came out, and its status was not written.
	apps.changeRow('a', { status: '' });
	await runWith('a');
	expect(apps.rows[1]).toMatchObject({ id: 'a', status: 'check', note: like(/Unique Key/) });
	expect(listPaid()).toEqual(['a', 'b']);
});

test('The example that stores finished videos stores the file and tells the chat its link, or why there is none', async () => {
	real.sandbox.addVideos('main', [{ id: 'v1', projectId: TOUR }]);
	const { run } = await take('store-finished-videos');
	await run('When a video is finished');
	expect(apps.files.drive).toMatchObject([{ name: 'v1.mp4', content: VIDEO }]);
	apps.uploadsLeft = 0;
	await run('When a video is finished');
	real.sandbox.addFault({ kind: 'status', status: 410, operation: 'video.file' });
	await run('When a video is finished');
	expect(apps.texts).toEqual([
		`A video is finished: <https://drive.google.com/file/d/1/view|v1.mp4>\nProject: ${TOUR}`,
		like(/Google Drive did not take it: .+\/files\/v1\.mp4$/s),
		like(/could not be downloaded: .*\(410\)\n.+\/files\/v1\.mp4$/s),
	]);
});

test('The example that asks before spending queues nothing that is declined, and sends the video back once it is approved', async () => {
	const { client } = real;
	const { workflow } = await take('ask-before-spending');
	await client.activateWorkflow(workflow);
	const address = getFormAddress(client, workflow);
	/** Sends the form as a person does, and presses a button of the question. */
	const askAndAnswer = async (idea: string, label: string) => {
		const fields = { 'field-0': 'Ada', 'field-1': idea };
		const send = async () => await axios.postForm(address, fields, { proxy: false });
		await waitFor('the form', async () => send().catch(() => false as const));
		await pressButton(label, workflow);
	};

	await askAndAnswer('The sea at dusk', 'Decline');
	expect(apps.texts).toEqual([
		like(/^Ada asks for a video, request \d+:\nThe sea at dusk\n.*credits: 1\. Credits left: 100/s),
		like(/^For Ada, request \d+: declined\. No video is made/),
	]);
	await askAndAnswer('The sea at dawn', 'Make the video');
	expect(listPaid()).toEqual(['The sea at dawn']);
	const comment = { initial_comment: 'For Ada: The sea at dawn' };
	expect(apps.files.slack).toMatchObject([{ ...SLACK_FILE, ...comment }]);
});

test('The example that answers now answers while the video is made, sends its file later, and says what went wrong', async () => {
	const ask = async (text: string) => {
		const { run } = await take('answer-now-deliver-later', { pinData: pinMessage(text) });
		return readItems(await run(CHAT), 'Answer now')[0]?.json;
	};
	real.sandbox.configure({ durations: { pendingMs: 3_600_000 } });
	expect(await ask('The sea')).toEqual({ output: like(/^Your video is being made/) });
	await waitFor('the add', () => listPaid().length > 0);
	real.sandbox.finish(real.sandbox.charges[0]?.queueId ?? '');
	await waitFor('the file', () => apps.files.slack.length > 0);
	expect(apps.files.slack).toMatchObject([{ ...SLACK_FILE, initial_comment: 'The sea' }]);

	real.sandbox.setCredits('main', 10);
	await ask('The sea at night');
	await waitFor('a message', () => apps.texts.length > 0);
	expect(apps.texts).toEqual([like(/^The sea at night\nThere are not enough credits/)]);
	expect(listPaid()).toEqual(['The sea']);
});

test('The example with an agent offers four tools, and generates a video once a person has approved it', async () => {
	const { workflow } = await take('agent-that-makes-videos', {
		changes: CHANGES,
		pinData: pinMessage('A teaser, please'),
	});
	const toolParameters = { projectId: TEASER, customPrompt: 'The sea' };
	model.play([
		[{ tool: 'List_the_projects', input: {} }],
		[{ tool: 'Generate_a_video', input: { toolParameters, hitlParameters: {} } }],
		'Here it is.',
	]);
	await real.client.runWorkflow(workflow.id, CHAT);
	await pressButton('Make it', workflow);
	expect(apps.texts).toEqual([like(/Project: project-product-teaser\nPrompt: The sea/)]);
	expect(real.sandbox.charges).toMatchObject([toolParameters]);
	expect(model.toolResults.at(-1)).toContain(findAddress('The sea'));
	const tools = model.tools.map(({ name, description }) => `${name}: ${description}`);
	expect(tools.sort()).toEqual([
		'Generate_a_video: Generate video (costs credits) in Video Generation',
		'List_the_projects: Get many projects in Video Generation',
		'Read_the_credits_left: Get account with remaining credits in Video Generation',
		'Read_the_progress: Get progress of queued video in Video Generation',
	]);
});

test('The example for any MCP client refuses a client without the token, and queues as many videos as the credits to keep allow', async () => {
	const { client, sandbox } = real;
	const { workflow } = await take('videos-for-mcp-clients');
	await client.activateWorkflow(workflow);
	const address = `${client.address}/mcp/videos`;
	const connect = async () => await connectMcp(address, TOKEN).catch(() => undefined);
	const mcp = await waitFor('the MCP server', connect);
	await expect(connectMcp(address, 'another')).rejects.toThrow('data is wrong');
	sandbox.configure({ durations: { pendingMs: 3_600_000 } });
	sandbox.setCredits('main', 11);
	expect(await mcp.call('List_the_projects')).toContain(TEASER);
	const input = { projectId: TEASER, customPrompt: 'The sea' };
	await mcp.call('Queue_a_video', input);
	expect(await mcp.call('Queue_a_video', input)).toMatch(/Credits to Keep/);
	expect(listPaid()).toEqual(['The sea']);
	const { queueId = '' } = sandbox.charges[0] ?? {};
	sandbox.finish(queueId);
	expect(await mcp.call('Read_the_progress', { queueId })).toContain('completed');
	const videos = await mcp.call('List_the_finished_videos', { projectId: TEASER });
	expect(videos).toContain(findAddress('The sea'));
	await mcp.close();
});

test('The example that says what has failed says whether a video is paid for, and links to the execution', async () => {
	const { client, sandbox } = real;
	const { workflow: errors } = await take('when-something-fails');
	await client.activateWorkflow(errors);
	const video = videoGeneration('Video', real.credential, OPERATIONS['queue.add']);
	const called = buildCalledWorkflow('half', [...makeItems([{}, {}]), video]);
	const settings = { errorWorkflow: errors.id };
	const workflow = await client.createWorkflow({ ...called, settings });
	await client.activateWorkflow(workflow);
	sandbox.addFault({ kind: 'reset', phase: 'after', operation: 'queue.add', nth: 2 });
	await real.n8n.callWebhook('half');
	await waitFor('a message', () => apps.texts.length > 0);
	const [message = ''] = apps.texts;
	expect(message).toMatch(/^\*half, execution \d+, node Video, item 1\* has failed: The connec/);
	expect(message).toMatch(/Paid for: \*perhaps\*\..*check the credits/);
	expect(message).toContain(sandbox.charges[0]?.queueId);
	expect(message).toMatch(new RegExp(`/workflow/${workflow.id}/executions/\\d+$`));
});

test('The example that checks the credits sends a message below the limit, and if the credits could not be read', async () => {
	const { run } = await take('credits-check');
	real.sandbox.setCredits('main', 20);
	await run('Every day at nine');
	real.sandbox.setCredits('main', 19);
	await run('Every day at nine');
	real.sandbox.addFault({ kind: 'status', status: 401, operation: 'account.get' });
	await run('Every day at nine');
	expect(apps.texts).toEqual([
		like(/^Only 19 video credits are left\./),
		like(/^The video credits could not be read: .*API key\nOpen the/),
	]);
});

test.each(listExamples())(
	'This n8n knows the nodes of the example %s in their newest versions, with all of their parameters',
	async (example) => {
		// It is set up first, because n8n shows most parameters of a sheet only after it is chosen.
		const { nodes } = setUpExample(example, { credentials });
		const known: unknown[] = [];
		for (const node of nodes) {
			// n8n makes tools and reviews from these types.
			const name = node.type.replace(/(Hitl)?Tool$/, '');
			const body = { nodeInfos: [{ name, version: node.typeVersion }] };
			const [type] = await real.client.request<[INodeTypeDescription]>('POST', '/node-types', body);
			const newest = Math.max(...[type.version].flat(), type.defaultVersion ?? 0);
			const review = node.type.endsWith('HitlTool') && { operation: 'sendAndWait' };
			const parameters = { ...review, ...node.parameters };
			known.push([node.name, newest, listUnknownParameters({ ...node, parameters }, type)]);
		}
		expect(known).toEqual(nodes.map(({ name, typeVersion }) => [name, typeVersion, []]));
	},
);
