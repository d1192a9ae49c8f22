import { describeWith } from '../support/e2e/describeWith';
import { expectLabels } from '../support/e2e/expectLabels';
import { useEditor } from '../support/e2e/useEditor';
import { useRealN8n } from '../support/e2e/useRealN8n';

/** n8n polls every minute. */
const NEXT_POLL_MS = 100_000;
const LABELS = ['Poll Times', 'Mode', 'Trigger On', 'Project Names or IDs', 'Options'];
/** Number of fetched test events; each is also an execution in the list. */
const TEST_EVENTS = 2;

describeWith(['chromium'], "In n8n's editor, the trigger", () => {
	const real = useRealN8n('browser-trigger');
	const visit = useEditor('browser-trigger', real);

	test(
		'shows a test event, is published, and starts the workflow for the next video',
		visit(async (editor) => {
			const { sandbox } = real;
			await editor.newWorkflow();
			await editor.nodesPanel.open();
			await editor.nodesPanel.search('video');
			await editor.nodesPanel.openDetails('Video Generation');
			await editor.nodesPanel.choose('On video finished');
			const panel = editor.nodePanel;
			await expectLabels(panel, LABELS);

			await panel.fetchTestEvent();
			expect(await panel.readError()).toEqual({
				message: 'There is no finished video to show yet',
				description: expect.stringContaining('When a video is finished') as string,
			});
			sandbox.addVideos('main', [{ id: 'the-first-video', url: `${sandbox.url}/files/a.mp4` }]);
			await panel.fetchTestEvent();
			const { heads, rows } = await panel.readTable();
			expect(heads).toEqual(['id', 'url', 'projectId', 'createdAt']);
			expect(rows[0]?.[0]).toBe('the-first-video');
			await panel.close();

			const polls = sandbox.requests.length;
			await editor.publish();
			await sandbox.waitForRequests({ count: polls + 1, timeoutMs: NEXT_POLL_MS });
			const executions = await editor.openExecutions();
			await executions.nth(TEST_EVENTS - 1).waitFor();
			sandbox.addVideos('main', [{ id: 'the-second-video' }]);
			await executions.nth(TEST_EVENTS).waitFor({ timeout: NEXT_POLL_MS });
			await editor.openExecution(executions.first());
			const shown = await editor.openNode('Video Generation Trigger');
			expect((await shown.readTable()).rows[0]?.[0]).toBe('the-second-video');
		}),
	);
});
