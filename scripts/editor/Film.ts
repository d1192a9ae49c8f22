import type { Locator, Page } from 'playwright-core';
import sharp from 'sharp';
import type { Area } from './Editor';

/** The width of a film, in pixels. */
const WIDTH_PX = 1080;
/** From 0 to 100. */
const QUALITY = 70;

const STEP_MS = 80;
const PRESS_MS = 220;
/** How far the pointer, or the camera, is on its way in each step: it slows down before it stops. */
const WAY = [0.3, 0.6, 0.82, 0.95, 1];
/** Number of letters that are typed in a step. */
const LETTERS = 4;

const POINTER = `
	const pointer = document.createElement('div');
	pointer.id = 'film-pointer';
	pointer.innerHTML = '<svg width="20" height="25" viewBox="0 0 16 20"><path d="M1 1v15l4-3.6 2.4 5.6 2.8-1.2-2.4-5.5h5.4z" fill="#111" stroke="#fff" stroke-width="1.4"/></svg>';
	pointer.style.cssText = 'position: fixed; z-index: 2147483647; pointer-events: none; left: -1px; top: -1px';
	document.documentElement.append(pointer);
`;

/** Messages and tooltips come and go as they like. */
const QUIET = `
	.el-notification, .el-popper.is-dark, [role="tooltip"], [data-test-id="floating-node"],
	[data-test-id="instance-ai-canvas-action-button"] { display: none !important; }
`;

interface Position {
	x: number;
	y: number;
}

/** A film of what a person does in a page. Its time is its own: a slow page makes it no longer. */
export class Film {
	private readonly frames: { picture: Buffer; durationMs: number }[] = [];

	private constructor(
		private readonly page: Page,
		private readonly whole: Area,
		/** What the camera looks at. */
		private view: Area,
		private pointer: Position,
	) {}

	/** Begins with the whole page, and the pointer at its middle. */
	static async start(page: Page): Promise<Film> {
		const { width, height } = page.viewportSize() ?? { width: 0, height: 0 };
		const whole = { x: 0, y: 0, width, height };
		await page.evaluate(POINTER);
		const film = new Film(page, whole, whole, { x: 0, y: 0 });
		await film.point({ x: width * 0.6, y: height * 0.6 });
		return film;
	}

	/** Films the page as it is. */
	async show(durationMs: number): Promise<void> {
		const picture = await this.page.screenshot({ style: QUIET, clip: this.view });
		const last = this.frames.at(-1);
		if (last?.picture.equals(picture)) last.durationMs += durationMs;
		else this.frames.push({ picture, durationMs });
	}

	/** Films the beginning of what happens in the page, and waits for its end. */
	async showBeginning(happened: Promise<unknown>, frames: number): Promise<void> {
		for (let frame = 0; frame < frames; frame += 1) await this.show(STEP_MS);
		await happened;
	}

	/** Moves the pointer to a part of the page. */
	async moveTo(part: Locator): Promise<void> {
		const { x, y, width, height } = await locate(part);
		const from = this.pointer;
		const to = { x: x + Math.min(width / 2, 60), y: y + height / 2 };
		for (const way of WAY) {
			await this.point({ x: mix(from.x, to.x, way), y: mix(from.y, to.y, way) });
			await this.show(STEP_MS);
		}
	}

	async click(part: Locator): Promise<void> {
		await this.moveTo(part);
		await this.show(PRESS_MS);
		await this.page.mouse.click(this.pointer.x, this.pointer.y);
	}

	/** Types a text into the field that has the focus. */
	async type(text: string): Promise<void> {
		for (let start = 0; start < text.length; start += LETTERS) {
			await this.page.keyboard.type(text.slice(start, start + LETTERS));
			await this.show(2 * STEP_MS);
		}
	}

	/** Moves the camera closer to a part of the page, with some space around it, or back to all of the page. */
	async lookAt(part?: Locator, marginPx = 16): Promise<void> {
		const from = this.view;
		const to = part ? this.frameOf(await locate(part), marginPx) : this.whole;
		for (const way of WAY) {
			this.view = {
				x: mix(from.x, to.x, way),
				y: mix(from.y, to.y, way),
				width: mix(from.width, to.width, way),
				height: mix(from.height, to.height, way),
			};
			await this.show(STEP_MS);
		}
	}

	/** @returns an animated WebP */
	async encode(): Promise<Buffer> {
		const height = Math.round((WIDTH_PX * this.whole.height) / this.whole.width);
		const pictures = await Promise.all(
			this.frames.map(async ({ picture }) =>
				sharp(picture).resize(WIDTH_PX, height, { fit: 'fill' }).removeAlpha().png().toBuffer(),
			),
		);
		const delay = this.frames.map(({ durationMs }) => durationMs);
		const options = { delay, loop: 0, quality: QUALITY, effort: 5, minSize: true, mixed: true };
		return await sharp(pictures, { join: { animated: true } })
			.webp(options)
			.toBuffer();
	}

	/** An area of the page's proportions around another one. */
	private frameOf(area: Area, marginPx: number): Area {
		const { whole } = this;
		const share = Math.max(
			(area.width + 2 * marginPx) / whole.width,
			(area.height + 2 * marginPx) / whole.height,
		);
		const [width, height] = [whole.width, whole.height].map((each) => each * Math.min(share, 1));
		const place = (middle: number, size = 0, max = 0) =>
			Math.min(Math.max(middle - size / 2, 0), max - size);
		return {
			x: place(area.x + area.width / 2, width, whole.width),
			y: place(area.y + area.height / 2, height, whole.height),
			width: width ?? 0,
			height: height ?? 0,
		};
	}

	private async point(to: Position): Promise<void> {
		this.pointer = to;
		await this.page.mouse.move(to.x, to.y);
		await this.page.evaluate(
			`document.getElementById('film-pointer').style.transform = 'translate(${to.x}px, ${to.y}px)'`,
		);
	}
}

function mix(from: number, to: number, way: number): number {
	return from + (to - from) * way;
}

async function locate(part: Locator): Promise<Area> {
	await part.scrollIntoViewIfNeeded();
	const box = await part.boundingBox();
	if (!box) throw new Error(`It is not shown: ${String(part)}`);
	return box;
}
