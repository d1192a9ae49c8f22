import type { Locator } from 'playwright-core';

/** What the page's player tells of its video. */
export interface VideoState {
	durationSeconds: number;
	/** Where it stands. */
	seconds: number;
	width: number;
	/** Why it cannot be played. */
	error: string | null;
}

/** The browser's own names. */
interface VideoElement {
	duration: number;
	currentTime: number;
	videoWidth: number;
	error: { message: string } | null;
	play(): Promise<void>;
}

/** The player in which n8n shows a video. */
export class VideoPlayer {
	constructor(readonly root: Locator) {}

	async playFromStart(): Promise<void> {
		await this.root.evaluate(async (element: unknown) => {
			const video = element as VideoElement;
			video.currentTime = 0;
			await video.play();
		});
	}

	async read(): Promise<VideoState> {
		return await this.root.evaluate((element: unknown) => {
			const video = element as VideoElement;
			return {
				durationSeconds: video.duration,
				seconds: video.currentTime,
				width: video.videoWidth,
				error: video.error?.message ?? null,
			};
		});
	}
}
