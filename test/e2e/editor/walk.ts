import type { Page } from 'playwright-core';
import { buildWorkflow, START, videoGeneration } from '../../support/e2e/buildWorkflow';
import { describeWith } from '../../support/e2e/describeWith';
import { findPort } from '../../support/e2e/ServerProcess';
import { getFormAddress, setUpExample } from '../../support/e2e/setUpExample';
import { real } from './n8n';
import { eventually, expectError, publish, useEditor } from './useEditor';
import type { Workflow } from '../../../scripts/n8n/n8nTypes';

/** A phone, and a window beside another one. */
const NARROW_PX = [360, 600];

const SHORT = { pendingMs: 300, processingMs: 300, renderingMs: 300 };

const create = async (parameters?: Record<string, unknown>, credential = real.credential) => {
	const steps = parameters ? [START, videoGeneration('Node', credential, parameters)] : [];
	return (await real.client.createWorkflow(buildWorkflow('Walk', steps))).id;
};

/** A service that cannot be reached. */
const findClosed = async () => ({ url: `http://127.0.0.1:${await findPort()}`, apiKey: 'key' });

/** Adds nodes to the workflow as a person does who has copied an example. */
async function paste(page: Page, content: object): Promise<void> {
	await page.context().grantPermissions(['clipboard-read', 'clipboard-write']);
	await page.evaluate(`navigator.clipboard.writeText(${JSON.stringify(JSON.stringify(content))})`);
	await page.getByTestId('canvas-wrapper').click({ position: { x: 300, y: 60 } });
	await page.keyboard.press('Control+V');
}

/** Tests what stopped people in their first two hours, one after the other, as a person meets it. */
describeWith(['browser'], 'In the first two hours with the node,', () => {
	const visit = useEditor();

	beforeEach(() => {
		real.sandbox.configure({ durations: SHORT });
	});

	test(
		'two pasted copies of the example with a form are published, each at an address of its own, and the last page fits its column in a narrow window',
		visit(async (editor, browser) => {
			const { client, credential } = real;
			const example = setUpExample('video-from-a-form', { credentials: [credential] });
			const addresses: string[] = [];
			for (let copy = 0; copy < 2; copy += 1) {
				const id = await create();
				await editor.openWorkflow(id);
				await paste(editor.page, example);
				await editor.node('Generate the video').waitFor();
				await publish(editor.page);
				const workflow = await client.request<Workflow>('GET', `/workflows/${id}`);
				addresses.push(getFormAddress(client, workflow));
			}
			expect(new Set(addresses).size).toBe(2);
			for (const address of addresses) expect(address).toMatch(/[\da-f]{8}-[\da-f-]{27}$/);

			const context = await browser.newContext({ acceptDownloads: true });
			const page = await context.newPage();
			await page.goto(addresses[0] ?? '');
			await page.locator('textarea').fill('The sea at noon');
			await page.locator('#submit-btn').click();
			const video = page.locator('video');
			await video.waitFor({ timeout: 60_000 });
			for (const width of NARROW_PX) {
				await page.setViewportSize({ width, height: 740 });
				await eventually(async () => {
					const [column, shown] = await Promise.all([
						page.locator('.card').first().boundingBox(),
						video.boundingBox(),
					]);
					const findEnd = (box: typeof column) => (box?.x ?? NaN) + (box?.width ?? NaN);
					expect(shown?.x).toBeGreaterThanOrEqual(column?.x ?? NaN);
					expect(findEnd(shown)).toBeLessThanOrEqual(findEnd(column));
				});
			}
			await context.close();
		}),
	);

	test(
		'an error leads to the settings of the node, where the fields are that it names',
		visit(async (editor) => {
			const { page, nodePanel } = editor;
			const credential = await real.n8n.connect(await findClosed(), 'Closed port');
			const fast = { options: { maxTries: 1 } };
			await editor.openWorkflow(
				await create({ resource: 'account', operation: 'get', ...fast }, credential),
			);
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

	test(
		'who searches for a video in usual words finds the node first',
		visit(async (editor) => {
			for (const words of ['make video', 'text to video', 'ai video', 'generate a video']) {
				// An open panel still shows what it has found for other words.
				await editor.openWorkflow(await create());
				await editor.nodesPanel.open();
				await eventually(async () => {
					expect((await editor.nodesPanel.search(words))[0]?.name).toBe('Video Generation');
				});
			}
		}),
	);

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
			await form.getByText(/ECONNREFUSED .+ is about this address\. Point at the field/).waitFor();
			await baseUrl.hover();
			await form.locator('label').filter({ hasText: 'Base URL' }).locator('svg').first().hover();
			await page.getByText(/ECONNREFUSED: its port is wrong, or the service is down/).waitFor();
			await page.goto(real.client.address);
		}),
	);
});
