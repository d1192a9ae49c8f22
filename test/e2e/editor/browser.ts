import axios from 'axios';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { VideoGeneration } from '../../../nodes/VideoGeneration/VideoGeneration.node';
import { VideoGenerationTrigger } from '../../../nodes/VideoGeneration/VideoGenerationTrigger.node';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';
import type { VideoPlayer } from '../../../scripts/editor/NodePanel';
import { waitFor } from '../../../scripts/waitFor';
import { buildWorkflow, START, videoGeneration } from '../../support/e2e/buildWorkflow';
import { describeWith } from '../../support/e2e/describeWith';
import { PACKAGE } from '../../support/e2e/PLACES';
import { byId, OPERATIONS } from '../../support/engine/OPERATIONS';
import { setUpExample } from '../../support/e2e/setUpExample';
import { loadSchema } from '../../support/schemas/loadSchema';
import { CredentialForm } from './CredentialForm';
import { eventually } from './eventually';
import { FormPage } from './FormPage';
import { real } from './n8n';
import { NodeFields } from './NodeFields';
import { openExecution, openExecutions, publish } from './published';
import { useEditor } from './useEditor';

const BASICS = ['Resource', 'Operation'];
const ORDER = ['Project', 'Custom Prompt', 'Overwrite Settings'];
const FILE_FIELD = 'Put Output File in Field';
const WAITING = ['Download Video', FILE_FIELD, 'Wait Options'];

/** The displayed name of the credential's type. */
const CREDENTIAL_TYPE = 'Video Generation API';

/** n8n polls every minute. */
const NEXT_POLL_MS = 100_000;
const TRIGGER_LABELS = ['Poll Times', 'Mode', 'Trigger On', 'Project Names or IDs', 'Options'];
/** Number of fetched test events; each is also an execution in the list. */
const TEST_EVENTS = 2;

describeWith(['chromium'], "In n8n's editor,", () => {
	const visit = useEditor('editor', real);

	describe('the node', () => {
		test(
			'is found by typing "video", "generate" or "queue", with its trigger, shows every action with its whole text, and is added by one with its credential',
			visit(async (editor) => {
				await editor.openWorkflow((await real.client.createWorkflow(buildWorkflow('New', []))).id);
				const panel = editor.nodesPanel;
				await panel.open();
				for (const text of ['queue', 'generate', 'video']) {
					expect(await panel.search(text)).toContainEqual({
						name: 'Video Generation',
						description: new VideoGenerationTrigger().description.description,
					});
				}
				await panel.openDetails('Video Generation');
				await eventually(async () => {
					const shown = [...(await panel.readEntries())].sort();
					expect(shown).toEqual(
						['On video finished', ...listOperations().map(({ action }) => action)].sort(),
					);
				});
				expect(await panel.findCutTexts()).toEqual([]);
				await panel.choose('Wait for queued video');
				expect(await new NodeFields(editor.page).readCredential()).toBe(real.credential.name);
				const labels = [...BASICS, 'Queue ID', 'Project', 'Queued At', ...WAITING, 'Options'];
				await expectLabels(new NodeFields(editor.page), labels);
			}),
		);

		test(
			'shows the fields of a choice, marks a required one that is empty, and takes a project by its name',
			visit(async (editor) => {
				const node = videoGeneration('Node', real.credential, {});
				const { id } = await real.client.createWorkflow(buildWorkflow('One node', [START, node]));
				await editor.openWorkflow(id);
				const panel = await editor.openNode('Node');
				const fields = new NodeFields(editor.page);
				await expectLabels(fields, [...BASICS, ...ORDER, ...WAITING, 'Options']);
				await fields.toggle('downloadVideo');
				await fields.waitForLabel(FILE_FIELD, 'hidden');
				const withoutFile = WAITING.filter((label) => label !== FILE_FIELD);
				await expectLabels(fields, [...BASICS, ...ORDER, ...withoutFile, 'Options']);

				await fields.select('resource', 'Queue');
				await fields.waitForLabel('Wait Options', 'hidden');
				await expectLabels(fields, [...BASICS, ...ORDER, 'Options']);
				await panel.execute();
				await fields.waitForIssue('projectId');
				expect(real.sandbox.requests).toEqual([]);
				expect(await fields.openList('projectId')).toEqual([
					'Launch film (3 credits)',
					'Product teaser',
					'Broken storyboard (always fails)',
					'City tour',
				]);
				expect(await fields.searchList('city', 'City tour')).toEqual(['City tour']);
				await fields.pickFromList('City tour');
				await panel.execute();
				const { heads, rows } = await panel.readTable();
				expect(heads).toEqual([
					'queueId',
					'status',
					'projectId',
					'generationProgress',
					'renderProgress',
					'videoUrl',
					'createdAt',
				]);
				expect(rows[0]).toEqual(expect.arrayContaining(['project-city-tour', 'pending', '0']));
				expect(rows).toHaveLength(1);
			}),
		);

		test(
			'says after a run what may have been paid',
			visit(async (editor) => {
				const settings = { onError: 'continueRegularOutput' };
				const node = videoGeneration('Node', real.credential, OPERATIONS['queue.add'], settings);
				const { id } = await real.client.createWorkflow(buildWorkflow('Lost', [START, node]));
				await editor.openWorkflow(id);
				real.sandbox.addFault({ kind: 'reset', phase: 'after', operation: 'queue.add' });
				const panel = await editor.openNode('Node');
				await panel.execute();
				expect(await new NodeFields(editor.page).readHints()).toEqual([
					expect.stringMatching(/may have been queued and paid for.+Account > Get/),
				]);
			}),
		);

		test(
			'makes a video that plays from an empty canvas within eight clicks, and no switch is touched',
			visit(async (editor) => {
				const { page, nodesPanel, nodePanel } = editor;
				await editor.openWorkflow(
					(await real.client.createWorkflow(buildWorkflow('Empty', []))).id,
				);
				await page.evaluate(
					"clicks = 0; addEventListener('pointerdown', () => { clicks += 1; }, { capture: true })",
				);
				await nodesPanel.open();
				await nodesPanel.search('generate video');
				await nodesPanel.openFirst();
				await nodesPanel.choose('Generate video (costs credits)');
				await nodePanel.root.getByTestId('parameter-input-customPrompt').click();
				// n8n takes a text a moment after the last key, and then saves it. A list that is opened while a
				// node changes may never load.
				const prompt = 'A harbour at night';
				const saved = page.waitForRequest((sent) => sent.postData()?.includes(prompt) === true);
				await page.keyboard.type(prompt);
				await saved;
				const fields = new NodeFields(page);
				await fields.openList('projectId');
				await fields.pickFromList('City tour');
				await nodePanel.execute();
				await expectToPlay(await nodePanel.viewVideo());
				expect(await page.evaluate('clicks')).toBeLessThanOrEqual(8);
				const add = real.sandbox.requests.find(({ operation }) => operation === 'queue.add');
				const body = { projectId: 'project-city-tour', customPrompt: prompt };
				expect(add?.body).toEqual(body);
			}),
		);
	});

	describe('the trigger', () => {
		test(
			'shows a test event, is published, and starts the workflow for the next video',
			visit(async (editor) => {
				const { sandbox } = real;
				const { id } = await real.client.createWorkflow(buildWorkflow('New', []));
				await editor.openWorkflow(id);
				await editor.nodesPanel.open();
				await editor.nodesPanel.search('video');
				await editor.nodesPanel.openDetails('Video Generation');
				await editor.nodesPanel.choose('On video finished');
				const panel = editor.nodePanel;
				const fields = new NodeFields(editor.page);
				await expectLabels(fields, TRIGGER_LABELS);

				await fields.fetchTestEvent();
				expect(await fields.readError()).toEqual({
					message: 'There is no finished video to show yet',
					description: expect.stringContaining('When a video is finished') as string,
				});
				sandbox.addVideos('main', [{ id: 'the-first-video', url: `${sandbox.url}/files/a.mp4` }]);
				await fields.fetchTestEvent();
				const { heads, rows } = await panel.readTable();
				expect(heads).toEqual(['id', 'url', 'createdAt', 'projectId']);
				expect(rows[0]?.[0]).toBe('the-first-video');
				await panel.close();

				const polls = sandbox.requests.length;
				await publish(editor.page);
				await sandbox.waitForRequests({ count: polls + 1, timeoutMs: NEXT_POLL_MS });
				const executions = await openExecutions(editor.page);
				await executions.nth(TEST_EVENTS - 1).waitFor();
				sandbox.addVideos('main', [{ id: 'the-second-video' }]);
				await executions.nth(TEST_EVENTS).waitFor({ timeout: NEXT_POLL_MS });
				await openExecution(editor.page, executions.first());
				const shown = await editor.openNode('Video Generation Trigger');
				expect((await shown.readTable()).rows[0]?.[0]).toBe('the-second-video');
				// It would send requests of its own to the service of all later tests.
				await real.client.deactivateWorkflow(id);
			}),
		);
	});

	describe('the credential', () => {
		test(
			'marks what is required, says what is wrong with a key, and hides the key, also when it is opened again',
			visit(async (editor) => {
				await editor.visit('/home/credentials/create');
				const form = new CredentialForm(editor.page);
				await form.chooseType(CREDENTIAL_TYPE);
				await expectLabels(form, [
					'API Key *',
					'Base URL *',
					// n8n adds this field to every credential.
					'Allowed HTTP Request Domains',
				]);
				expect(await form.field('apiKey').getAttribute('type')).toBe('password');
				expect(await form.field('baseUrl').getAttribute('placeholder')).toBe(
					'e.g. https://api.example.com',
				);
				await form.field('apiKey').fill('not-the-key');
				await form.field('baseUrl').fill(` ${real.sandbox.url}/v1/ `);
				expect(await form.saveAndTest()).toContain('The service does not accept this key, or a');
				await form.field('apiKey').fill(real.sandbox.apiKey);
				await form.root.getByTestId('credential-save-button').click();
				await form.root.getByText('Connection tested successfully').waitFor();
				const tests = real.sandbox.requests.filter(
					({ operation, status }) => operation === 'account.get' && status === 200,
				);
				expect(tests).toHaveLength(1);

				const address = `${real.client.address}/home/credentials/${real.credential.id}`;
				await editor.page.goto(address);
				await form.field('apiKey').waitFor();
				const key = await form.field('apiKey').inputValue();
				expect(key).not.toBe('');
				expect(await editor.page.content()).not.toContain(real.sandbox.apiKey);
				expect(key).not.toContain(real.sandbox.apiKey);
			}),
		);
	});

	test(
		'the example with a form hands each of two people who send it in the same second their own video, plays it, and says on its last page what went wrong',
		visit(async (_, browser) => {
			const { client, credential, sandbox } = real;
			sandbox.configure({ durations: { pendingMs: 300, processingMs: 300, renderingMs: 300 } });
			const { id, name } = credential;
			const ours = { credentials: { videoGenerationApi: { id, name } } };
			const workflow = await client.createWorkflow(
				setUpExample('video-from-a-form', {
					choices: { [`${PACKAGE}.videoGeneration`]: ours },
					changes: {
						'Generate the video': {
							projectId: byId('project-city-tour'),
							waitOptions: { pollingInterval: 1, listingDelay: 1 },
						},
					},
				}),
			);
			await client.activateWorkflow(workflow);
			const address = `${client.address}/form/video-from-a-form`;
			const isThere = async () =>
				(await axios.get(address, { proxy: false, validateStatus: () => true })).status === 200;
			await waitFor('the form', isThere);
			const prompts = ['The sea at dawn', 'The sea at dusk'];
			const forms = await Promise.all(
				prompts.map(async () => await FormPage.open(browser, address)),
			);
			const files = forms.map(async (form) => await form.receiveFile());
			await Promise.all(
				forms.map(async (form, index) => {
					await form.send(prompts[index] ?? '');
				}),
			);
			expect(await Promise.all(files)).toEqual(
				prompts.map((prompt) => ({
					fileName: `${prompt}.mp4`,
					content: readVideoFile('city-tour'),
				})),
			);
			const { queue } = sandbox.readState();
			for (const [index, form] of forms.entries()) {
				await expectToPlay(form.video);
				const item = queue.find(({ customPrompt }) => customPrompt === prompts[index]);
				const { address } = await form.video.read();
				expect(address).toBe(`${sandbox.url}/files/${item?.videoId}.mp4`);
			}

			sandbox.setCredits('main', 10);
			const form = await FormPage.open(browser, address);
			await form.send('The sea at night');
			expect(await form.readEnding()).toMatch(
				/There is no video.*Request \d+: There are not enough credits to queue this video\..*Ask us/s,
			);
			expect(sandbox.charges.map(({ customPrompt }) => customPrompt).sort()).toEqual(prompts);
		}),
	);

	test("the editor is given each operation's output schema, as the package has it", async () => {
		for (const { resource, value } of listOperations()) {
			const schema = `${PACKAGE}.videoGeneration/1.0.0/${resource}/${value}.json`;
			const { data } = await axios.get<unknown>(`${real.client.address}/schemas/${schema}`, {
				proxy: false,
			});
			expect([schema, data]).toEqual([schema, loadSchema(`${resource}.${value}`)]);
		}
	});
});

async function expectToPlay(video: VideoPlayer): Promise<void> {
	await video.playFromStart();
	await waitFor('the video to play', async () => (await video.read()).seconds > 0.2);
	const state = await video.read();
	expect(state).toMatchObject({ error: null, width: 480 });
	expect(state.durationSeconds).toBeCloseTo(2, 1);
}

/** Returns all operations of the description, with their actions. */
function listOperations() {
	const isOperation = ({ name }: INodeProperties) => name === 'operation';
	return new VideoGeneration().description.properties
		.filter(isOperation)
		.flatMap(({ displayOptions, options }) =>
			(options as INodePropertyOptions[]).map(({ action, value }) => ({
				resource: displayOptions?.show?.resource?.[0] as string,
				value: value as string,
				action,
			})),
		);
}

/** Expects a form to have these labels, from top to bottom, as soon as all of it is drawn. */
async function expectLabels(
	form: { readLabels(): Promise<string[]> },
	labels: string[],
): Promise<void> {
	await eventually(async () => {
		expect(await form.readLabels()).toEqual(labels);
	});
}
