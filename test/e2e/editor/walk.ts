import { buffer } from 'node:stream/consumers';
import axios from 'axios';
import type { Page } from 'playwright-core';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';
import { VideoPlayer } from '../../../scripts/editor/NodePanel';
import { waitFor } from '../../../scripts/waitFor';
import {
	buildWorkflow,
	makeItems,
	START,
	videoGeneration,
	type WorkflowStep,
} from '../../support/e2e/buildWorkflow';
import { describeWith } from '../../support/e2e/describeWith';
import { readItems } from '../../support/e2e/RealN8n';
import { QUICKLY, setUpExample } from '../../support/e2e/setUpExample';
import { DOWNLOAD, GENERATE } from '../../support/engine/OPERATIONS';
import { real } from './n8n';
import { eventually, expectError, expectToPlay, useEditor } from './useEditor';

const SHORT = { pendingMs: 300, processingMs: 300, renderingMs: 300 };
const TIMEOUT_MS = 120_000;
const TOUR = 'project-city-tour';

/** Reads the source of each of its items, as a user's expression does. */
const LOOK_BACK: WorkflowStep = {
	name: 'Look back',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: { mode: 'raw', jsonOutput: "={{ { row: $('Rows').item.json.id } }}" },
};

const node = (parameters: object, settings = {}) =>
	videoGeneration(
		'Node',
		real.credential,
		{ ...GENERATE, waitOptions: QUICKLY, ...parameters },
		settings,
	);
const build = (rows: object[], ...steps: WorkflowStep[]) =>
	buildWorkflow('Rows of a sheet', [START, ...makeItems(rows, 'Rows'), ...steps]);
const listPaid = () => real.sandbox.charges.map(({ customPrompt }) => customPrompt);

describeWith(['chromium'], 'In the second week,', () => {
	const visit = useEditor();

	beforeEach(() => {
		real.sandbox.configure({ durations: SHORT });
	});

	test(
		'a misspelt column is named, and costs nothing',
		visit(async (editor) => {
			const rows = [{ topic: 'Rain' }];
			const write = (customPrompt: string) => build(rows, node({ customPrompt }));
			const { id } = await real.client.createWorkflow(write('={{ $json.Topic }}'));
			await editor.openWorkflow(id);
			const panel = await editor.openNode('Node');
			await panel.execute();
			await expectError(
				editor.page,
				/^'Custom Prompt' names the field 'Topic', which this item does not have$/,
				/{{ \$json\.Topic \?\? '' }}/,
			);
			// n8n evaluates expressions in an isolate, which the tests of its engine alone do not have.
			for (const prompt of ['=A {{ $json.Topic }}', '={{ $json.Topic.trim() }}']) {
				const { data } = await real.n8n.run(write(prompt));
				expect(data.resultData.error?.message).toContain("names the field 'Topic'");
			}
			expect(real.sandbox.requests).toEqual([]);
			for (const prompt of ['={{ $json.topic }}', "=A{{ $json.Topic ?? '' }}"]) {
				expect((await real.n8n.run(write(prompt))).status).toBe('success');
			}
			expect(listPaid()).toEqual(['Rain', 'A']);
		}),
	);

	test(
		'of ten rows of which nine are done, one is made and keeps its row, and the panel counts the nine',
		visit(async (editor) => {
			const { client, sandbox } = real;
			sandbox.configure({ videoUrlInDetails: true });
			const rows = Array.from({ length: 10 }, (_, row) => ({ id: `row ${row}` }));
			const options = { uniqueKey: '={{ $json.id }}' };
			const steps = [node({ customPrompt: '={{ $json.id }}', options }), LOOK_BACK];
			const { id } = await client.createWorkflow(build(rows.slice(0, 9), ...steps));
			const first = await client.runWorkflow(id, START.name);
			expect((await client.waitForExecution(first, TIMEOUT_MS)).status).toBe('success');
			expect(listPaid()).toHaveLength(9);

			await client.saveWorkflow(id, build(rows, ...steps));
			await editor.openWorkflow(id);
			const panel = await editor.openNode('Node');
			await panel.execute();
			expect((await panel.readTable()).rows).toHaveLength(1);
			expect(await panel.output.getByTestId('node-hint').innerText()).toMatch(
				/left out, because the video of their 'Unique Key' came out before: 9\./,
			);
			expect(listPaid()).toEqual(rows.map((row) => row.id));
			await panel.close();
			await editor.openNode(LOOK_BACK.name);
			await panel.execute();
			expect((await panel.readTable()).rows).toEqual([['row 9', '']]);
		}),
	);

	test(
		'three files that a service gives one name have three names',
		visit(async (editor) => {
			const { client, sandbox } = real;
			sandbox.addVideos('main', [{ id: 'output' }]);
			const files = ['a', 'b', 'c'].map((folder) => ({
				url: `${sandbox.url}/files/${folder}/output.mp4`,
			}));
			const { id } = await client.createWorkflow(build(files, node(DOWNLOAD)));
			await editor.openWorkflow(id);
			const { output } = editor.nodePanel;
			await (await editor.openNode('Node')).execute();
			await eventually(async () => {
				await output.getByTestId('radio-button-binary').click();
				const names = (await output.innerText()).match(/output\S*mp4/g);
				expect(names).toEqual(['output.mp4', 'output-2.mp4', 'output-3.mp4']);
			});
		}),
	);

	test(
		'a video that the service failed to make says what to correct, and the retry that it names gets what was paid beside it',
		visit(async (editor) => {
			const { client, n8n, sandbox } = real;
			const rows = [{ project: TOUR }, { project: 'project-broken-storyboard' }];
			const { id } = await client.createWorkflow(build(rows, node({})));
			await editor.openWorkflow(id);
			const panel = await editor.openNode('Node');
			await panel.execute();
			await panel.output.getByTestId('node-error-message').waitFor();
			const [made, broken] = sandbox.charges;
			const advice = [
				`is "${broken?.queueId}"\\. Correct the project or the prompt before you queue it again`,
				`Already queued and paid for: ${made?.queueId} .+ set 'On Error' .+ to 'Continue'`,
				"select 'Retry with currently saved workflow' under Executions\\. A new run",
			];
			await expectError(
				editor.page,
				/^The video could not be generated/,
				new RegExp(`^(?!.*Retry.*Retry).*${advice.join('.*')}`, 's'),
			);

			const [failed] = await n8n.listExecutions(id);
			await client.saveWorkflow(id, build(rows, node({}, { onError: 'continueRegularOutput' })));
			const retry = await client.retryExecution(failed?.id ?? '', true);
			const execution = await client.waitForExecution(retry, TIMEOUT_MS);
			expect(readItems(execution, 'Node')).toMatchObject([
				{ json: { queueId: made?.queueId, videoUrl: `${sandbox.url}/files/${made?.videoId}.mp4` } },
				{ json: { error: 'The video could not be generated' } },
			]);
			expect(sandbox.charges).toHaveLength(2);
		}),
	);

	test(
		'a failed execution offers Retry, and a stopped one does not',
		visit(async (editor) => {
			const { client, n8n, sandbox } = real;
			sandbox.addFault({ kind: 'status', status: 400, operation: 'queue.add', nth: 1 });
			const failed = await n8n.run(build([{}], node({})));
			sandbox.configure({ durations: { pendingMs: 3_600_000 } });
			const stopped = await client.runWorkflow(failed.workflowId, START.name);
			await sandbox.waitForRequests({ operation: 'queue.getProgress', count: 1 });
			await client.request('POST', `/executions/${stopped}/stop`);
			expect((await client.waitForExecution(stopped, TIMEOUT_MS)).status).toBe('canceled');
			await editor.visit(`/workflow/${failed.workflowId}/executions`);
			const countRetries = async (execution: string) => {
				const entry = editor.page.getByTestId(`execution-details-${execution}`);
				await entry.waitFor();
				return await entry.getByTestId('retry-execution-button').count();
			};
			expect([await countRetries(failed.id), await countRetries(stopped)]).toEqual([1, 0]);
		}),
	);

	test(
		'the example with a form hands each of two people who send it in the same second their own video, plays it, and says on its last page what went wrong',
		visit(async (_, browser) => {
			const { client, credential, sandbox } = real;
			const workflow = await client.createWorkflow(
				setUpExample('video-from-a-form', { credentials: [credential] }),
			);
			await client.activateWorkflow(workflow);
			const address = `${client.address}/form/video-from-a-form`;
			const isThere = async () =>
				(await axios.get(address, { proxy: false, validateStatus: () => true })).status === 200;
			await waitFor('the form', isThere);
			/** Opens the form in a browser window of its own. */
			const open = async (): Promise<Page> => {
				const context = await browser.newContext({ acceptDownloads: true });
				context.setDefaultTimeout(TIMEOUT_MS);
				const page = await context.newPage();
				await page.goto(address);
				return page;
			};
			const send = async (page: Page, prompt: string) => {
				await page.locator('textarea').fill(prompt);
				await page.locator('#submit-btn').click();
			};
			const people = await Promise.all(
				['The sea at dawn', 'The sea at dusk'].map(async (prompt) => ({
					prompt,
					page: await open(),
				})),
			);
			await Promise.all(
				people.map(async ({ page, prompt }) => {
					const received = page.waitForEvent('download');
					await send(page, prompt);
					const file = await received;
					expect(file.suggestedFilename()).toBe(`${prompt}.mp4`);
					const content = await buffer(await file.createReadStream());
					expect(content.equals(readVideoFile('city-tour'))).toBe(true);
				}),
			);
			const { queue } = sandbox.readState();
			for (const { page, prompt } of people) {
				const video = new VideoPlayer(page.locator('video'));
				await expectToPlay(video);
				const item = queue.find(({ customPrompt }) => customPrompt === prompt);
				const { address } = await video.read();
				expect(address).toBe(`${sandbox.url}/files/${item?.videoId}.mp4`);
			}

			sandbox.setCredits('main', 10);
			const page = await open();
			await send(page, 'The sea at night');
			await page.waitForURL(/form-waiting/);
			expect(await page.locator('.card').innerText()).toMatch(
				/There is no video.*Request \d+: There are not enough credits to queue this video\..*Ask us/s,
			);
			expect(listPaid().sort()).toEqual(people.map(({ prompt }) => prompt));
		}),
	);
});
