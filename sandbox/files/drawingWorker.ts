import { parentPort, workerData } from 'node:worker_threads';
import { createCanvas, GlobalFonts, type SKRSContext2D } from '@napi-rs/canvas';
import { createH264MP4Encoder } from 'h264-mp4-encoder';
import {
	BufferSource,
	BufferTarget,
	Conversion,
	Input,
	MP4,
	Mp4OutputFormat,
	Output,
} from 'mediabunny';
import type { VideoContent } from '../domain/model';

const WIDTH = 640;
const HEIGHT = 360;
const MARGIN = 44;
const TEXT_WIDTH = WIDTH - 2 * MARGIN;
const FRAMES_PER_SECOND = 15;
const FRAME_COUNT = 2 * FRAMES_PER_SECOND;

/** The colours of each project's MP4 beside this file, dark enough for white text. */
const COLOURS: Record<string, [dark: string, bright: string]> = {
	'product-teaser': ['#3a1c66', '#b8405f'],
	'city-tour': ['#0a3a5c', '#268a72'],
	'launch-film': ['#15203f', '#b03a58'],
};

/** Texts in other scripts are drawn in a font of the machine, if it has one. */
const SCRIPTS = ['latin', 'latin-ext', 'greek', 'cyrillic'];
const FONTS = [...SCRIPTS, 'sans-serif'].join(', ');

/** A prompt is drawn in the first of these sizes in which all of it has room, and in the last is cut. */
const PROMPT_SIZES = [48, 40, 34] as const;
/** More characters than have room in any size. */
const MAX_PROMPT_LENGTH = 500;
const LINE_HEIGHT = 1.22;
const PROMPT_TOP = 80;
const PROMPT_HEIGHT = 212;
const BAR_TOP = 312;
const BAR_HEIGHT = 6;

function drawCard(context: SKRSContext2D, { name, prompt, picture }: VideoContent): void {
	const [dark, bright] = COLOURS[picture] ?? ['#1b1530', '#6d3bf5'];
	const gradient = context.createLinearGradient(WIDTH * 0.3, 0, WIDTH, HEIGHT);
	gradient.addColorStop(0, dark);
	gradient.addColorStop(1, bright);
	context.fillStyle = gradient;
	context.fillRect(0, 0, WIDTH, HEIGHT);

	context.fillStyle = '#ffffff';
	context.font = `22px ${FONTS}`;
	context.globalAlpha = 0.75;
	context.fillText(prompt === '' ? 'The project’s own prompt' : name, MARGIN, 62, TEXT_WIDTH);
	context.globalAlpha = 0.25;
	context.fillRect(MARGIN, BAR_TOP, TEXT_WIDTH, BAR_HEIGHT);
	context.globalAlpha = 1;
	drawPrompt(context, prompt === '' ? name : prompt);
}

function drawPrompt(context: SKRSContext2D, prompt: string): void {
	const text = prompt.slice(0, MAX_PROMPT_LENGTH).replaceAll(/\s+/g, ' ');
	const countLines = (px: number) => Math.floor(PROMPT_HEIGHT / (px * LINE_HEIGHT));
	const fits = (px: number) => wrapText(context, text, px).length <= countLines(px);
	const size = PROMPT_SIZES.find(fits) ?? PROMPT_SIZES[2];
	const lines = wrapText(context, text, size);
	const shown = lines.slice(0, countLines(size));
	if (shown.length < lines.length) shown.push(`${shown.pop()?.trimEnd() ?? ''}…`);
	const top = PROMPT_TOP + (PROMPT_HEIGHT - shown.length * size * LINE_HEIGHT) / 2;
	for (const [index, line] of shown.entries()) {
		context.fillText(line, MARGIN, top + (index + 0.8) * size * LINE_HEIGHT, TEXT_WIDTH);
	}
}

/** Breaks a text between words, and a word that is longer than a line anywhere. */
function wrapText(context: SKRSContext2D, text: string, size: number): string[] {
	context.font = `${size}px ${FONTS}`;
	const fits = (line: string) => context.measureText(line.trimEnd()).width <= TEXT_WIDTH;
	const parts = text
		.split(/(?<=\s)/)
		.flatMap((word) =>
			fits(word) ? word : Array.from(new Intl.Segmenter().segment(word), ({ segment }) => segment),
		);
	const lines: string[] = [];
	let line = '';
	for (const part of parts) {
		if (!fits(line + part)) {
			lines.push(line);
			line = '';
		}
		line += part;
	}
	return [...lines, line];
}

async function encodeVideo(content: VideoContent): Promise<ArrayBuffer | null> {
	for (const script of SCRIPTS) {
		const file = `@fontsource/inter/files/inter-${script}-600-normal.woff2`;
		GlobalFonts.registerFromPath(require.resolve(file), script);
	}
	const context = createCanvas(WIDTH, HEIGHT).getContext('2d');
	drawCard(context, content);
	const encoder = await createH264MP4Encoder();
	encoder.width = WIDTH;
	encoder.height = HEIGHT;
	encoder.frameRate = FRAMES_PER_SECOND;
	encoder.groupOfPictures = FRAME_COUNT;
	encoder.quantizationParameter = 20;
	encoder.speed = 8;
	encoder.initialize();
	for (let frame = 1; frame <= FRAME_COUNT; frame += 1) {
		context.fillRect(MARGIN, BAR_TOP, (TEXT_WIDTH * frame) / FRAME_COUNT, BAR_HEIGHT);
		encoder.addFrameRgba(context.getImageData(0, 0, WIDTH, HEIGHT).data);
	}
	encoder.finalize();
	return await correctIndex(encoder.FS.readFile(encoder.outputFilename));
}

/** The encoder puts the index last, and claims in it that a player can begin at any frame. */
async function correctIndex(file: Uint8Array): Promise<ArrayBuffer | null> {
	const input = new Input({ source: new BufferSource(file), formats: [MP4] });
	const target = new BufferTarget();
	const format = new Mp4OutputFormat({ fastStart: 'in-memory' });
	const conversion = await Conversion.init({ input, output: new Output({ format, target }) });
	await conversion.execute();
	return target.buffer;
}

void encodeVideo(workerData as VideoContent).then((video) => parentPort?.postMessage(video));
