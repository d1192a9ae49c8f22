import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { VideoGeneration } from '../../../nodes/VideoGeneration/VideoGeneration.node';
import { VideoGenerationTrigger } from '../../../nodes/VideoGeneration/VideoGenerationTrigger.node';
import { buildWorkflow, START, videoGeneration } from '../../support/e2e/buildWorkflow';
import { describeWith } from '../../support/e2e/describeWith';
import { CredentialForm } from './CredentialForm';
import { eventually } from './eventually';
import { expectToPlay } from './FormPage';
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
				await panel.press();
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
});

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
