import type { Locator, Page } from 'playwright-core';
import type { Editor } from '../editor/Editor';
import { Film } from '../editor/Film';

const PROMPT = 'A sailboat leaves the harbour at dawn';

/** Time between two frames of the playing video. */
const VIDEO_STEP_MS = 125;
/** A run takes longer than anyone would look at it. */
const RUNNING_FRAMES = 16;

/** Films what a newcomer does first: from an empty canvas to a video that plays. */
export async function takeFirstMinute(editor: Editor): Promise<Buffer> {
	await editor.newWorkflow();
	const film = await Film.start(editor.page);
	await film.show(700);
	await addNode(film, editor.page);
	await fillIn(film, editor);
	await runNode(film, editor);
	await showVideo(film, editor.nodePanel.output.locator('video'));
	return await film.encode();
}

async function addNode(film: Film, page: Page): Promise<void> {
	await film.click(page.getByTestId('canvas-add-button').locator('button').first());
	await page.getByTestId('node-creator-search-bar').click();
	await film.type('make a video');
	const entries = page.getByTestId('node-creator-item-name');
	const found = entries.getByText('Video Generation', { exact: true });
	await found.waitFor();
	await film.show(300);
	await film.click(found);
	await page.getByTestId('nodes-list-header').getByText('Node details').waitFor();
	await film.show(300);
	await film.click(page.getByTestId('node-creator-category-item').filter({ hasText: 'Actions' }));
	const generate = entries.getByText('Generate video (costs credits)', { exact: true });
	await generate.waitFor();
	await film.show(500);
	await film.click(generate);
}

async function fillIn(film: Film, { page, nodePanel }: Editor): Promise<void> {
	const prompt = nodePanel.parameters.getByTestId('parameter-input-customPrompt');
	await prompt.waitFor();
	await film.show(500);
	await film.lookAt(nodePanel.parameters);
	await film.click(page.getByTestId('resource-locator-projectId').getByTestId('rlc-input'));
	const projects = page.getByTestId('rlc-item').filter({ visible: true });
	await projects.nth(1).waitFor();
	await page.keyboard.type('teaser');
	await projects.nth(1).waitFor({ state: 'hidden' });
	await film.show(500);
	await film.click(projects.first());
	await film.click(prompt);
	await film.type(PROMPT);
	await film.show(500);
	await film.lookAt();
}

async function runNode(film: Film, { page, nodePanel }: Editor): Promise<void> {
	const { output } = nodePanel;
	await film.click(page.getByTestId('node-execute-button'));
	await film.showBeginning(nodePanel.waitForSuccess(), RUNNING_FRAMES);
	await film.show(800);
	await film.click(output.getByTestId('radio-button-binary'));
	await film.show(500);
	await film.click(output.getByTestId('ndv-view-binary-data'));
}

/** Films each moment of the video in n8n's player. From n8n's address, which serves no ranges, no browser shows a chosen one. */
async function showVideo(film: Film, video: Locator): Promise<void> {
	await video.waitFor();
	const durationMs = await video.evaluate(async (player: HTMLVideoElement) => {
		const file = await (await fetch(player.currentSrc)).blob();
		player.pause();
		player.controls = false;
		player.replaceChildren();
		player.src = URL.createObjectURL(file);
		await new Promise((done) => {
			player.addEventListener('canplaythrough', done, { once: true });
		});
		return player.duration * 1000;
	});
	await film.show(300);
	await film.lookAt(video, 48);
	for (let atMs = 0; atMs < durationMs; atMs += VIDEO_STEP_MS) {
		await video.evaluate(async (player: HTMLVideoElement, seconds) => {
			const seeked = new Promise((done) => {
				player.addEventListener('seeked', done, { once: true });
			});
			player.currentTime = seconds;
			await seeked;
		}, atMs / 1000);
		await film.show(VIDEO_STEP_MS);
	}
	await film.show(1500);
}
