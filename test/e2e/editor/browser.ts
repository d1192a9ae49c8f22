import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import axios from 'axios';
import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import type { Locator, Page } from 'playwright-core';
import { VideoGeneration } from '../../../nodes/VideoGeneration/VideoGeneration.node';
import { VideoGenerationTrigger } from '../../../nodes/VideoGeneration/VideoGenerationTrigger.node';
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
import { PACKAGE, readInstallation } from '../../support/e2e/PLACES';
import { findPort } from '../../support/e2e/ServerProcess';
import { getFormAddress, QUICKLY, setUpExample } from '../../support/e2e/setUpExample';
import { readItems } from '../../support/e2e/RealN8n';
import { GENERATE } from '../../support/engine/OPERATIONS';
import { real } from './n8n';
import {
	eventually,
	expectError,
	expectLabels,
	expectToPlay,
	publish,
	useEditor,
} from './useEditor';

const BASICS = ['Resource', 'Operation'];
const ORDER = ['Project', 'Custom Prompt', 'Overwrite Settings'];
const FILE_FIELD = 'Put Output File in Field';
const WAITING = ['Download Video', FILE_FIELD, 'Wait Options'];

/** A phone, and a window beside another one. */
const NARROW_PX = [360, 600];

/** The displayed name of the credential's type. */
const CREDENTIAL_TYPE = 'Video Generation API';

/** What people type into n8n's nodes panel. */
const SEARCHES = [
	...['video', 'videos', 'generate video', 'video generator', 'video generation', 'video maker'],
	...['make video', 'create videos', 'text to video', 'ai video', 'short video', 'animation'],
];

const NODE = `${PACKAGE}.videoGeneration`;
const TRIGGER = `${PACKAGE}.videoGenerationTrigger`;

interface NodeType {
	name: string;
	hidden?: boolean;
}

/** The nodes that n8n's panel searches, each once, without the copies for agents. */
function readNodeTypes(): NodeType[] {
	const file = join(real.n8n.userFolder, '.cache/n8n/public/types/nodes.json');
	const types = JSON.parse(readFileSync(file, 'utf8')) as NodeType[];
	const shown = types.filter(({ name, hidden }) => hidden !== true && !name.endsWith('Tool'));
	return [...new Map(shown.map((type) => [type.name, type])).values()];
}

/** The search of n8n's panel, as far as it is used here. */
const { sublimeSearch } = createRequire(readInstallation().n8n)(
	'@n8n/utils/search/sublime-search',
) as { sublimeSearch: <Item>(words: string, items: Item[]) => { item: Item }[] };

/** Reads the source of each of its items, as a user's expression does. */
const LOOK_BACK: WorkflowStep = {
	name: 'Look back',
	type: 'n8n-nodes-base.set',
	typeVersion: 3.4,
	parameters: { mode: 'raw', jsonOutput: "={{ { row: $('Rows').item.json.id } }}" },
};

const SHORT = { pendingMs: 300, processingMs: 300, renderingMs: 300 };
const TIMEOUT_MS = 120_000;
/** n8n polls every minute. */
const NEXT_POLL_MS = 100_000;
/** Number of fetched test events; each is also an execution in the list. */
const TEST_EVENTS = 2;

const create = async (...steps: WorkflowStep[]) =>
	(await real.client.createWorkflow(buildWorkflow('New', steps))).id;
const node = (parameters: object) => videoGeneration('Node', real.credential, { ...parameters });
/** A service that cannot be reached. */
const findClosed = async () => ({ url: `http://127.0.0.1:${await findPort()}`, apiKey: 'key' });
/** Generates a video for each row of a sheet. */
const generate = (rows: object[], parameters: object = {}, settings = {}) => {
	const step = { ...GENERATE, waitOptions: QUICKLY, ...parameters };
	const steps = [START, ...makeItems(rows, 'Rows')];
	return buildWorkflow('Rows', [
		...steps,
		videoGeneration('Node', real.credential, step, settings),
		LOOK_BACK,
	]);
};
const listPaid = () => real.sandbox.charges.map(({ customPrompt }) => customPrompt);
/** The entries of the open list of projects. */
const listProjects = (page: Page) => page.getByTestId('rlc-item').filter({ visible: true });
/** Opens the list of projects, which asks the service for them. */
const openProjects = async (page: Page) => {
	await page.getByTestId('resource-locator-projectId').getByTestId('rlc-input').click();
	await listProjects(page).first().waitFor();
};
const pickTour = async (page: Page) => {
	await listProjects(page).getByText('City tour', { exact: true }).click();
};

describeWith(['browser'], "In n8n's editor,", () => {
	const visit = useEditor();

	beforeEach(() => {
		real.sandbox.configure({ durations: SHORT });
	});

	test(
		'the node is found by typing "video", "generate" or "queue", with its trigger, shows every action with its whole text, and is added by one with its credential',
		visit(async (editor) => {
			await editor.openWorkflow(await create());
			const panel = editor.nodesPanel;
			await panel.open();
			const { description } = new VideoGenerationTrigger().description;
			const found = { name: 'Video Generation', description };
			for (const text of ['queue', 'generate', 'video']) {
				await eventually(async () => {
					expect(await panel.search(text)).toContainEqual(found);
				});
			}
			await panel.openDetails('Video Generation');
			await eventually(async () => {
				const shown = [...(await panel.readEntries())].sort();
				expect(shown).toEqual(['On video finished', ...listActions()].sort());
			});
			expect(await panel.findCutTexts()).toEqual([]);
			expect(await panel.shows('Generate video (costs credits)')).toBe(true);
			await panel.choose('Wait for queued video');
			const { parameters } = editor.nodePanel;
			const credential = parameters.getByTestId('node-credentials-select').locator('input');
			expect(await credential.inputValue()).toBe(real.credential.name);
			const labels = ['Queue ID', 'Project', 'Queued At', ...WAITING, 'Options'];
			await expectLabels(parameters, [...BASICS, ...labels]);
		}),
	);

	test(
		'the node shows the fields of a choice, marks a required one that is empty, and takes a project by its name',
		visit(async (editor) => {
			const { page } = editor;
			await editor.openWorkflow(await create(START, node({})));
			const panel = await editor.openNode('Node');
			const { parameters } = panel;
			await expectLabels(parameters, [...BASICS, ...ORDER, ...WAITING, 'Options']);
			await parameters.getByTestId('parameter-input-downloadVideo').locator('.el-switch').click();
			const withoutFile = WAITING.filter((label) => label !== FILE_FIELD);
			await expectLabels(parameters, [...BASICS, ...ORDER, ...withoutFile, 'Options']);

			await parameters.getByTestId('parameter-input-resource').click();
			const resources = page.getByTestId('parameter-input-item').filter({ visible: true });
			await resources.getByText('Queue', { exact: true }).click();
			await resources.first().waitFor({ state: 'hidden' });
			await expectLabels(parameters, [...BASICS, ...ORDER, 'Options']);
			await panel.press();
			await parameters
				.getByTestId('parameter-item')
				.filter({ has: page.getByTestId('parameter-input-projectId') })
				.getByTestId('parameter-issues')
				.waitFor();
			expect(real.sandbox.requests).toEqual([]);
			await openProjects(page);
			const projects = listProjects(page);
			expect(await projects.allInnerTexts()).toEqual([
				'Product teaser',
				'Launch film (3 credits)',
				'Broken storyboard (always fails)',
				'City tour',
			]);
			await page.getByTestId('rlc-search').fill('city');
			await eventually(async () => {
				expect(await projects.allInnerTexts()).toEqual(['City tour']);
			});
			await pickTour(page);
			await panel.execute();
			const { rows } = await panel.readTable();
			expect(rows[0]).toEqual(expect.arrayContaining(['project-city-tour', 'pending', '0']));
			expect(rows).toHaveLength(1);
		}),
	);

	test(
		'the node makes a video that plays from an empty canvas within eight clicks, and no switch is touched',
		visit(async (editor) => {
			const { page, nodesPanel, nodePanel } = editor;
			await editor.openWorkflow(await create());
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
			await openProjects(page);
			await pickTour(page);
			await nodePanel.output.getByText(/^A video .*takes minutes/).waitFor();
			await nodePanel.execute();
			await expectToPlay(await nodePanel.viewVideo());
			expect(await page.evaluate('clicks')).toBeLessThanOrEqual(8);
			const add = real.sandbox.requests.find(({ operation }) => operation === 'queue.add');
			expect(add?.body).toEqual({ projectId: 'project-city-tour', customPrompt: prompt });
		}),
	);

	test(
		'the trigger shows a test event, is published, and starts the workflow for the next video',
		visit(async (editor) => {
			const { sandbox } = real;
			const { page, nodePanel } = editor;
			const id = await create();
			await editor.openWorkflow(id);
			await editor.nodesPanel.open();
			await editor.nodesPanel.search('video');
			await editor.nodesPanel.openDetails('Video Generation');
			await editor.nodesPanel.choose('On video finished');
			const labels = ['Poll Times', 'Mode', 'Trigger On', 'Project Names or IDs', 'Options'];
			await expectLabels(nodePanel.parameters, labels);

			// During a run, the same button stops n8n.
			const fetchEvent = page
				.getByTestId('trigger-execute-button')
				.filter({ hasText: 'Fetch Test Event' });
			await fetchEvent.click();
			await expectError(
				page,
				/^There is no finished video to show yet$/,
				/When a video is finished/,
			);
			sandbox.addVideos('main', [{ id: 'the-first-video', url: `${sandbox.url}/files/a.mp4` }]);
			await fetchEvent.click();
			const { heads, rows } = await nodePanel.readTable();
			expect(heads).toEqual(['id', 'url', 'createdAt', 'projectId']);
			expect(rows[0]?.[0]).toBe('the-first-video');
			await nodePanel.close();

			const polls = sandbox.requests.length;
			await publish(page);
			await sandbox.waitForRequests({ count: polls + 1, timeoutMs: NEXT_POLL_MS });
			await page.getByTestId('radio-button-executions').click();
			const executions = page
				.getByTestId('current-executions-list')
				.locator('[data-test-id^="execution-details-"]');
			await executions.nth(TEST_EVENTS - 1).waitFor();
			sandbox.addVideos('main', [{ id: 'the-second-video' }]);
			await executions.nth(TEST_EVENTS).waitFor({ timeout: NEXT_POLL_MS });
			await executions.first().click();
			const [started] = (await real.n8n.listExecutions(id)).slice(-1);
			await page.getByTestId(`execution-preview-details-${started?.id}`).waitFor();
			await page.getByTestId('canvas-node-status-success').first().waitFor();
			const shown = await editor.openNode('Video Generation Trigger');
			expect((await shown.readTable()).rows[0]?.[0]).toBe('the-second-video');
			// It would send requests of its own to the service of all later tests.
			await real.client.deactivateWorkflow(id);
		}),
	);

	// n8n evaluates expressions in an isolate, which the tests of its engine alone do not have.
	test('a misspelt column is named, and costs nothing', async () => {
		const make = async (customPrompt: string) =>
			await real.n8n.run(generate([{ topic: 'Rain' }], { customPrompt }));
		const misspelt = ['={{ $json.Topic }}', '=A {{ $json.Topic }}', '={{ $json.Topic.trim() }}'];
		for (const prompt of misspelt) {
			const { data } = await make(prompt);
			expect(data.resultData.error?.message).toContain("names the field 'Topic'");
		}
		for (const prompt of ['={{ $json.topic }}', "=A{{ $json.Topic ?? '' }}"]) {
			expect((await make(prompt)).status).toBe('success');
		}
		expect(listPaid()).toEqual(['Rain', 'A']);
	});

	test(
		'a video that the service failed to make says what to correct, and the retry that it names, which a stopped execution does not offer, gets what was paid beside it',
		visit(async (editor) => {
			const { client, n8n, sandbox } = real;
			const rows = [{ project: 'project-city-tour' }, { project: 'project-broken-storyboard' }];
			const { id } = await client.createWorkflow(generate(rows));
			await editor.openWorkflow(id);
			const panel = await editor.openNode('Node');
			await panel.execute();
			await panel.output.getByTestId('node-error-message').waitFor();
			// They are queued side by side, in either order.
			const [made, broken] = rows.map(({ project }) =>
				sandbox.charges.find(({ projectId }) => projectId === project),
			);
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
			sandbox.configure({ durations: { pendingMs: 3_600_000 } });
			const stopped = await client.runWorkflow(id, START.name);
			await sandbox.waitForRequests({ operation: 'queue.add', count: 4 });
			await client.request('POST', `/executions/${stopped}/stop`);
			expect((await client.waitForExecution(stopped, TIMEOUT_MS)).status).toBe('canceled');
			await editor.visit(`/workflow/${id}/executions`);
			const countRetries = async (execution = '') => {
				const entry = editor.page.getByTestId(`execution-details-${execution}`);
				await entry.waitFor();
				return await entry.getByTestId('retry-execution-button').count();
			};
			expect([await countRetries(failed?.id), await countRetries(stopped)]).toEqual([1, 0]);

			const settings = { onError: 'continueRegularOutput' };
			await client.saveWorkflow(id, generate(rows, {}, settings));
			const retry = await client.retryExecution(failed?.id ?? '', true);
			const execution = await client.waitForExecution(retry, TIMEOUT_MS);
			expect(readItems(execution, 'Node')).toMatchObject([
				{ json: { queueId: made?.queueId, videoUrl: `${sandbox.url}/files/${made?.videoId}.mp4` } },
				{ json: { error: 'The video could not be generated' } },
			]);
			expect(sandbox.charges).toHaveLength(4);
		}),
	);

	test(
		'the credential marks what is required, says what is wrong with a key, and hides the key, also when it is opened again',
		visit(async (editor) => {
			const { page } = editor;
			const { apiKey, url } = real.sandbox;
			await editor.visit('/home/credentials/create');
			await page.getByTestId('new-credential-type-select').locator('input').fill(CREDENTIAL_TYPE);
			const types = page.getByTestId('new-credential-type-select-option');
			await types.getByText(CREDENTIAL_TYPE, { exact: true }).click();
			await page.getByTestId('new-credential-type-button').click();
			const form = page.getByTestId('editCredential-modal');
			const key = form.getByTestId('parameter-input-apiKey').locator('input');
			const baseUrl = form.getByTestId('parameter-input-baseUrl').locator('input');
			const save = form.getByTestId('credential-save-button');
			// n8n adds the last field to every credential.
			await expectLabels(form, ['API Key *', 'Base URL *', 'Allowed HTTP Request Domains']);
			expect(await key.getAttribute('type')).toBe('password');
			expect(await baseUrl.getAttribute('placeholder')).toBe('e.g. https://api.example.com');
			await key.fill('not-the-key');
			await baseUrl.fill(` ${url}/v1/ `);
			await save.click();
			await form.getByText('More details').click();
			expect(await form.locator('[class*="_details_"]').innerText()).toContain(
				'The service does not accept this key, or a',
			);
			await key.fill(apiKey);
			const fault = { kind: 'status', status: 404, operation: 'account.get' } as const;
			const website = real.sandbox.addFault(fault);
			await save.click();
			await eventually(async () => {
				const more = form.getByText('More details');
				if (await more.isVisible()) await more.click();
				expect(await form.innerText()).toContain("In 'Base URL', enter the address of its API");
			});
			real.sandbox.removeFault(website);
			await baseUrl.fill(`${url}/v1/user/account`);
			await save.click();
			await form.getByText('Connection tested successfully').waitFor();
			const tests = real.sandbox.requests.filter(
				({ operation, status }) => operation === 'account.get' && status === 200,
			);
			expect(tests).toHaveLength(1);

			await page.goto(`${real.client.address}/home/credentials/${real.credential.id}`);
			await key.waitFor();
			const shown = await key.inputValue();
			expect(shown).not.toBe('');
			expect(shown).not.toContain(apiKey);
			expect(await page.content()).not.toContain(apiKey);
			// The next test would find the dialog open.
			editor.leave();
		}),
	);

	test(
		'the example with a form hands each of two people who send it in the same second their own video, plays it in a narrow window, and says on its last page what went wrong',
		visit(async (_, browser) => {
			const { client, credential, sandbox } = real;
			const workflow = await client.createWorkflow(
				setUpExample('video-from-a-form', { credentials: [credential] }),
			);
			await client.activateWorkflow(workflow);
			const address = getFormAddress(client, workflow);
			const load = async () => axios.get(address, { proxy: false }).catch(() => false as const);
			await waitFor('the form', load);
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
				for (const width of NARROW_PX) {
					await page.setViewportSize({ width, height: 740 });
					await expectToFit(page.locator('video'), page.locator('.card').first());
					await expectToFit(page.locator('.card').first(), page.locator('html'));
				}
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

	test(
		'five rows get a video each, beside which their columns can be had, as the panel says before the run',
		visit(async (editor) => {
			const rows = [1, 2, 3, 4, 5].map((id) => ({ id: `row ${id}`, prompt: `prompt ${id}` }));
			const { id } = await real.client.createWorkflow(generate(rows, { downloadVideo: true }));
			await editor.openWorkflow(id);
			const panel = await editor.openNode('Rows');
			await panel.execute();
			await panel.waitForSuccess();
			await panel.close();
			await editor.openNode('Node');
			for (const text of ['which costs credits', 'takes minutes', "use a row's columns, too"]) {
				await panel.output.getByText(text).waitFor();
			}
			await panel.execute();
			await panel.waitForSuccess();
			await expectToPlay(await panel.viewVideo(4));
			await panel.close();
			await editor.openNode('Look back');
			await panel.execute();
			const { rows: shown } = await panel.readTable();
			expect(shown.map(([cell]) => cell)).toEqual(rows.map((row) => row.id));
			expect(listPaid()).toEqual(rows.map(({ prompt }) => prompt));
		}),
	);

	test(
		'Stop ends the execution and not the video, of which the panel tells during the run and after it',
		visit(async (editor) => {
			const { page, nodePanel } = editor;
			const { sandbox } = real;
			sandbox.configure({ durations: { pendingMs: 3_000 } });
			await editor.openWorkflow(await create(START, node({ ...GENERATE })));
			await editor.openNode('Node');
			await nodePanel.execute();
			await sandbox.waitForRequests({ operation: 'queue.add', count: 1 });
			const hint = nodePanel.output.getByText(
				/even if you stop .+ look for it in Video > Get Many/,
			);
			await hint.waitFor();
			await page.getByTestId('ndv-stop-execution-button').click();
			await page.getByText('Execution stopped').waitFor();
			await hint.waitFor();
			await waitFor('the video', () => sandbox.readState().videos.length > 0);
			expect(sandbox.charges).toHaveLength(1);
		}),
	);

	test(
		'an error leads to the settings of the node, where the fields are that it names',
		visit(async (editor) => {
			const { page, nodePanel } = editor;
			const credential = await real.n8n.connect(await findClosed(), 'Closed port');
			const account = { resource: 'account', operation: 'get', options: { maxTries: 1 } };
			await editor.openWorkflow(await create(START, videoGeneration('Node', credential, account)));
			await editor.openNode('Node');
			await nodePanel.execute();
			await nodePanel.output.getByTestId('node-error-message').waitFor();
			await expectError(
				page,
				/could not be reached/,
				/'Proxy' under 'Request Options' in the node's settings/,
			);
			await nodePanel.root.getByText('Settings', { exact: true }).click();
			for (const field of ['On Error', 'Request Options']) {
				await nodePanel.root.getByText(field, { exact: true }).filter({ visible: true }).waitFor();
			}
		}),
	);

	test('who searches in usual words, also with hyphens, finds the node among the first three, and the trigger by "video finished"', () => {
		const types = readNodeTypes().map((properties) => ({ properties }));
		const find = (words: string) =>
			sublimeSearch(words, types)
				.slice(0, 3)
				.map(({ item }) => item.properties.name);
		const searches = SEARCHES.flatMap((words) => [words, words.replaceAll(' ', '-')]);
		expect(searches.filter((words) => !find(words).includes(NODE))).toEqual([]);
		expect(find('video finished')).toContain(TRIGGER);
		// The service does not promise these.
		for (const words of ['avatar', 'image to video']) expect(find(words)).not.toContain(NODE);
	});

	test(
		'the example that npm start runs costs one credit, and ends with the credits that are left',
		visit(async (editor) => {
			const { client, credential, sandbox } = real;
			const example = setUpExample('queue-a-video', { credentials: [credential] });
			const { id } = await client.createWorkflow(example);
			await editor.openWorkflow(id);
			await editor.executeWorkflow(['Generate a video', 'See the credits left']);
			expect(sandbox.charges.map(({ cost }) => cost)).toEqual([1]);
			const panel = await editor.openNode('See the credits left');
			const { heads, rows } = await panel.readTable();
			expect(heads[0]).toBe('usage');
			expect(rows[0]?.[0]).toMatch(/^remainingCredits\s*:?\s*99$/);
		}),
	);

	test(
		'a credential whose test shows only a code leads to what the code means',
		visit(async (editor) => {
			const { page } = editor;
			const { id } = await real.n8n.connect(await findClosed(), 'Mistyped');
			await page.goto(`${real.client.address}/home/credentials/${id}`);
			const form = page.getByTestId('editCredential-modal');
			const baseUrl = form.getByTestId('parameter-input-baseUrl').locator('input');
			await baseUrl.fill(`${await baseUrl.inputValue()}/`);
			await form.getByTestId('credential-save-button').click();
			await form.getByText('More details').click();
			expect(await form.locator('[class*="_details_"]').innerText()).toContain('ECONNREFUSED');
			await form.getByText(/With ECONNREFUSED, the port/).waitFor();
			await baseUrl.hover();
			await form.locator('label').filter({ hasText: 'Base URL' }).locator('svg').first().hover();
			await page.getByText(/ECONNREFUSED: its port is wrong, or the service is down/).waitFor();
			editor.leave();
		}),
	);
});

/** Expects an element to be as wide as its column at most. */
async function expectToFit(element: Locator, column: Locator): Promise<void> {
	await eventually(async () => {
		const [outer, inner] = await Promise.all([column.boundingBox(), element.boundingBox()]);
		const findEnd = (box: typeof inner) => (box?.x ?? NaN) + (box?.width ?? NaN);
		expect(inner?.x).toBeGreaterThanOrEqual(outer?.x ?? NaN);
		expect(findEnd(inner)).toBeLessThanOrEqual(findEnd(outer));
	});
}

/** Returns the actions of all operations. */
function listActions(): (string | undefined)[] {
	const isOperation = ({ name }: INodeProperties) => name === 'operation';
	return new VideoGeneration().description.properties
		.filter(isOperation)
		.flatMap(({ options }) => (options as INodePropertyOptions[]).map(({ action }) => action));
}
