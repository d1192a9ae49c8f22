import axios from 'axios';
import type { INodeTypeDescription } from 'n8n-workflow';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';
import type { Credential, Execution } from '../../../scripts/n8n/n8nTypes';
import { waitFor } from '../../../scripts/waitFor';
import { buildCalledWorkflow, makeItems, videoGeneration } from '../../support/e2e/buildWorkflow';
import { listExamples, setUpExample, type ExampleSetUp } from '../../support/e2e/setUpExample';
import { OPERATIONS } from '../../support/engine/OPERATIONS';
import { like } from '../../support/like';
import { listUnknownParameters } from '../../support/listUnknownParameters';
import { connectMcp } from './connectMcp';
import { apps, chat, real } from './n8n';
import { connectApps } from './useApps';

const TEASER = 'project-product-teaser';
const TOUR = 'project-city-tour';
const SLOW = { pendingMs: 3_600_000 };
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
	const start = async (trigger: string) => await client.runWorkflow(workflow.id, trigger);
	const run = async (trigger: string) => await waitForSuccess(await start(trigger));
	return { workflow, start, run };
}

async function waitForSuccess(id: string): Promise<Execution> {
	const execution = await real.client.waitForExecution(id, TIMEOUT_MS);
	const { error } = execution.data.resultData;
	expect([execution.status, error?.message]).toEqual(['success', undefined]);
	return execution;
}

const listPaid = () => real.sandbox.charges.map(({ customPrompt }) => customPrompt);
const findAddress = (prompt: string) => {
	const items = real.sandbox.readState().queue;
	const item = items.find(({ customPrompt }) => customPrompt === prompt);
	return `${real.sandbox.url}/files/${item?.videoId}.mp4`;
};

test('The example that makes a video for each row writes the link of each video to its row before the next is paid, says why a row failed, pays none twice, and goes on after a full drive', async () => {
	const ids = ['a', 'b', 'c', 'd', 'e'];
	apps.fillSheet([
		['id', 'project', 'prompt', 'status', 'video', 'link', 'note'],
		['old', TEASER, 'old', 'stored'],
		['edited meanwhile', 'nowhere', 'unknown'],
		['unknown', 'nowhere', 'unknown'],
		...ids.map((id) => [id, TEASER, id]),
		['no-prompt', TEASER],
	]);
	apps.uploadsLeft = 3;
	const linksAtEachAdd: number[] = [];
	const stopListening = real.sandbox.onRequest(({ operation }) => {
		const isStored = ({ link }: Record<string, unknown>) => link !== '';
		if (operation !== 'queue.add') return;
		if (linksAtEachAdd.length === 0) apps.changeRow('edited meanwhile', { id: 'edited' });
		linksAtEachAdd.push(apps.rows.filter(isStored).length);
	});
	const { start, run } = await take('video-for-each-row', {
		settings: { 'Upload the video to Google Drive': { maxTries: 2, waitBetweenTries: 0 } },
	});
	const failed = await real.client.waitForExecution(
		await start('When you press Execute'),
		TIMEOUT_MS,
	);
	expect(failed.status).toBe('error');
	// The drive is full, so no later row is paid for. Once there is room, a person selects Retry.
	expect(listPaid()).toEqual(ids.slice(0, 4));
	apps.uploadsLeft = Infinity;
	const retryId = await real.client.retryExecution(failed.id, false);
	await waitForSuccess(retryId);
	stopListening();
	const rows = [
		{ id: 'old', status: 'stored', link: '' },
		{ id: 'edited', status: '' },
		{
			...{ status: 'check', link: '', video: '' },
			note: like(/\(400\).*'Project'.*To try again, delete the status\.$/),
		},
		...ids.map((id, index) => ({
			...{ id, status: 'stored', video: findAddress(id), note: '' },
			link: `https://drive.google.com/file/d/${index + 1}/view`,
		})),
		{ id: 'no-prompt', status: '' },
	];
	expect(apps.rows).toMatchObject(rows);
	expect(linksAtEachAdd).toEqual([0, 0, 0, 1, 2, 3, 4]);
	const names = ids.map((id) => ({ metadata: { name: `${id}.mp4` } }));
	expect(apps.drive).toMatchObject(names);
	// As typed input, an ID of digits would become a number, and a text with "=" a formula.
	expect(apps.inputOptions).toEqual(new Set(['RAW']));

	// What a person finds in the row afterwards, whatever a second run says of it.
	const note = 'Queue ID: 17';
	apps.changeRow('e', { status: '', note });
	await run('When you press Execute');
	expect(listPaid()).toEqual(ids);
	expect(apps.rows.at(-2)).toMatchObject({
		...{ status: 'check', video: findAddress('e') },
		note: like(/key .*change the id.* Earlier: Queue ID: 17$/),
	});

	apps.names = apps.names.map((name) => (name === 'status' ? 'Status' : name));
	const before = structuredClone(apps.rows);
	await run('When you press Execute');
	expect(apps.rows).toEqual(before);
});

const write = (row: string) => {
	const output = { title: `Title ${row}`, description: `About ${row}`, prompt: row };
	return JSON.stringify({ output });
};

test('The example that makes an idea a video on YouTube publishes one idea a run, and says in its row and in the chat what went wrong', async () => {
	apps.fillSheet([
		['id', 'project', 'idea', 'status', 'title', 'video', 'link', 'note'],
		['old', TOUR, 'An idea', 'published'],
		...['a', 'b'].map((id) => [id, TOUR, 'An idea']),
	]);
	const { run } = await take('idea-to-youtube', { changes: CHANGES });
	model.play([write('a')]);
	await run('Every day at nine');
	const link = 'https://youtu.be/1';
	const published = {
		...{ id: 'a', status: 'published', title: 'Title a', link, note: '' },
		video: findAddress('a'),
	};
	expect(apps.rows).toMatchObject([{ id: 'old', link: '' }, published, { status: '' }]);
	const snippet = { title: 'Title a', description: 'About a' };
	expect(apps.youTube).toMatchObject([
		{
			metadata: { snippet, status: { privacyStatus: 'unlisted' } },
			content: readVideoFile('city-tour'),
		},
	]);

	apps.uploadsLeft = 0;
	model.play([write('b')]);
	await run('Every day at nine');
	const refused = {
		id: 'b',
		status: 'check',
		video: findAddress('b'),
		note: like(/^Upload the video to YouTube: \w+.*look for its video here and in YouTube Studio/),
	};
	expect(apps.rows.slice(1)).toMatchObject([published, refused]);
	expect(apps.texts).toEqual([
		`"Title a" is on YouTube: ${link}`,
		like(/^Row b of the sheet needs you: .+YouTube Studio/),
	]);
	expect(listPaid()).toEqual(['a', 'b']);

	// As after a killed n8n: the row's video came out, and its status was not written.
	apps.changeRow('a', { status: '' });
	model.play([write('a')]);
	await run('Every day at nine');
	expect(apps.rows[1]).toMatchObject({ id: 'a', status: 'check', note: like(/Unique Key/) });
	expect(listPaid()).toEqual(['a', 'b']);
});

test('The example that stores finished videos stores the file and tells the chat its link, or why there is none', async () => {
	real.sandbox.addVideos('main', [{ id: 'v1', projectId: TOUR }]);
	const { run } = await take('store-finished-videos');
	await run('When a video is finished');
	const content = readVideoFile('city-tour');
	expect(apps.drive).toMatchObject([{ metadata: { name: 'v1.mp4' }, content }]);
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
	const { client, n8n } = real;
	const { workflow } = await take('ask-before-spending');
	await client.activateWorkflow(workflow);
	/** Sends the form as a person does, and presses a button of the question. */
	const askAndAnswer = async (idea: string, label: string) => {
		const form = new FormData();
		form.append('field-0', 'Ada');
		form.append('field-1', idea);
		const address = `${client.address}/form/video-idea`;
		const send = async () => await axios.post(address, form, { proxy: false });
		await waitFor('the form', async () => send().catch(() => false as const));
		const { id = '' } = (await n8n.listExecutions(workflow.id)).at(-1) ?? {};
		await n8n.waitForStatus(id, 'waiting');
		expect(await n8n.openLink(apps.getLink(label))).toBe(200);
		await waitForSuccess(id);
	};

	await askAndAnswer('The sea at dusk', 'Decline');
	expect(apps.texts).toEqual([
		like(/^Ada asks for a video, request \d+:\nThe sea at dusk\n.*credits: 1\. Credits left: 100/s),
		like(/^For Ada, request \d+: declined\. No video is made/),
	]);
	expect(listPaid()).toEqual([]);
	await askAndAnswer('The sea at dawn', 'Make the video');
	expect(listPaid()).toEqual(['The sea at dawn']);
	expect(apps.slackFiles).toMatchObject([
		{ metadata: { channel_id: 'C01', initial_comment: 'For Ada: The sea at dawn' } },
	]);
	expect(apps.slackFiles[0]?.content.includes(readVideoFile('city-tour'))).toBe(true);
});

test('The example that answers now answers while the video is made, sends its file later, and says what went wrong', async () => {
	const trigger = 'When a chat message comes';
	const ask = async (chatInput: string) => {
		const { run } = await take('answer-now-deliver-later', {
			pinData: { [trigger]: [{ json: { sessionId: 's', action: 'sendMessage', chatInput } }] },
		});
		const { runData } = (await run(trigger)).data.resultData;
		return runData['Answer now']?.[0]?.data?.main?.[0]?.[0]?.json;
	};
	real.sandbox.configure({ durations: SLOW });
	expect(await ask('The sea')).toEqual({ output: like(/^Your video is being made/) });
	await waitFor('the add', () => listPaid().length > 0, TIMEOUT_MS);
	expect([apps.slackFiles, apps.texts]).toEqual([[], []]);
	const [{ queueId } = { queueId: '' }] = real.sandbox.readState().queue;
	real.sandbox.finish(queueId);
	await waitFor('the file', () => apps.slackFiles.length > 0, TIMEOUT_MS);
	const metadata = { channel_id: 'C01', initial_comment: 'The sea' };
	expect(apps.slackFiles).toMatchObject([{ metadata }]);
	expect(apps.slackFiles[0]?.content.includes(readVideoFile('city-tour'))).toBe(true);

	real.sandbox.setCredits('main', 10);
	await ask('The sea at night');
	await waitFor('a message', () => apps.texts.length > 0, TIMEOUT_MS);
	expect(apps.texts).toEqual([like(/^The sea at night\nThere are not enough credits/)]);
	expect(listPaid()).toEqual(['The sea']);
});

test('The example with an agent offers four tools, and generates a video once a person has approved it', async () => {
	const trigger = 'When a chat message comes';
	const chat = { sessionId: 'session', action: 'sendMessage', chatInput: 'A teaser, please' };
	const { start } = await take('agent-that-makes-videos', {
		changes: CHANGES,
		pinData: { [trigger]: [{ json: chat }] },
	});
	const toolParameters = { projectId: TEASER, customPrompt: 'The sea' };
	model.play([
		[{ tool: 'List_the_projects', input: {} }],
		[{ tool: 'Generate_a_video', input: { toolParameters, hitlParameters: {} } }],
		'Here it is.',
	]);
	const id = await start(trigger);
	await real.n8n.waitForStatus(id, 'waiting');
	expect(listPaid()).toEqual([]);
	expect(apps.texts).toEqual([
		expect.stringContaining(`Project: ${TEASER}\nPrompt: The sea`) as string,
	]);
	expect(await real.n8n.openLink(apps.getLink('Make it'))).toBe(200);
	await waitForSuccess(id);
	expect(real.sandbox.charges).toMatchObject([{ projectId: TEASER, customPrompt: 'The sea' }]);
	expect(model.toolResults.at(-1)).toContain(findAddress('The sea'));
	expect(model.tools.map(({ name }) => name).sort()).toEqual([
		'Generate_a_video',
		'List_the_projects',
		'Read_the_credits_left',
		'Read_the_progress',
	]);
	const costly = model.tools.filter(({ description }) => description.includes('costs credits'));
	expect(costly.map(({ name }) => name)).toEqual(['Generate_a_video']);
});

test('The example for any MCP client refuses a client without the token, and queues as many videos as the credits to keep allow', async () => {
	const { client, sandbox } = real;
	const credential = await client.createCredential({
		name: 'MCP clients',
		type: 'httpBearerAuth',
		data: { token: 'a-long-random-token' },
	});
	const { workflow } = await take('videos-for-mcp-clients', {
		credentials: [real.credential, credential],
	});
	await client.activateWorkflow(workflow);
	const address = `${client.address}/mcp/videos`;
	const mcp = await waitFor('the MCP server', async () => {
		return await connectMcp(address, 'a-long-random-token').catch(() => undefined);
	});
	await expect(connectMcp(address, 'another')).rejects.toThrow('data is wrong');
	sandbox.configure({ durations: SLOW });
	sandbox.setCredits('main', 11);
	expect(await mcp.call('List_the_projects')).toContain(TEASER);
	const input = { projectId: TEASER, customPrompt: 'The sea' };
	await mcp.call('Queue_a_video', input);
	expect(await mcp.call('Queue_a_video', input)).toMatch(/Credits to Keep/);
	expect(listPaid()).toEqual(['The sea']);
	const [{ queueId } = { queueId: '' }] = sandbox.readState().queue;
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
	const add = { ...OPERATIONS['queue.add'], customPrompt: '={{ $json.prompt }}' };
	const called = buildCalledWorkflow('half', [
		...makeItems([{ prompt: 'one' }, { prompt: 'two' }]),
		videoGeneration('Video', real.credential, add),
	]);
	const settings = { ...called.settings, errorWorkflow: errors.id };
	const workflow = await client.createWorkflow({ ...called, settings });
	await client.activateWorkflow(workflow);
	sandbox.addFault({ kind: 'reset', phase: 'after', operation: 'queue.add', nth: 2 });
	await real.n8n.callWebhook('half');
	await waitFor('a message', () => apps.texts.length > 0, TIMEOUT_MS);
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

test('The nodes of all examples are known to this n8n, in their newest versions, with all of their parameters', async () => {
	// The examples are set up first, because n8n shows most parameters of a sheet only after it is chosen.
	const nodes = listExamples().flatMap((example) =>
		setUpExample(example, { credentials }).nodes.map((node) => ({ example, node })),
	);
	const nodeInfos = nodes.map(({ node: { type, typeVersion } }) => ({
		// n8n makes tools and reviews from these types.
		name: type.replace(/(Hitl)?Tool$/, ''),
		version: typeVersion,
	}));
	const types = await real.client.request<INodeTypeDescription[]>('POST', '/node-types', {
		nodeInfos,
	});
	const problems = nodes.flatMap(({ example, node }, index) => {
		const type = types[index];
		if (!type) return [`${example}: ${node.name} is of an unknown type or version`];
		const newest = Math.max(...[type.version].flat(), type.defaultVersion ?? 0);
		const review = node.type.endsWith('HitlTool') && { operation: 'sendAndWait' };
		const parameters = { ...review, ...node.parameters };
		return [
			...(node.typeVersion === newest ? [] : [`typeVersion, which is now ${newest}`]),
			...listUnknownParameters({ ...node, parameters }, type),
		].map((problem) => `${example}: ${node.name}: ${problem}`);
	});
	expect(problems).toEqual([]);
});
