/**
 * Sizes of a sticky note's text in n8n's editor, measured generously: text that fits here fits
 * there.
 */
const PADDING_PX = 32;
const LIST_INDENT_PX = 24;
const EMPTY_LINE_PX = 4;
const TEXT = { characterPx: 6.8, linePx: 19, marginPx: 5 };
const SMALL_HEADING = { characterPx: 9, linePx: 22, marginPx: 12 };
const HEADING = { characterPx: 12, linePx: 28, marginPx: 14 };

/** Returns the height that a sticky note of this width needs for its Markdown. */
export function estimateNoteHeight(content: string, width: number): number {
	const heights = content.split('\n').map((line) => estimateLine(line, width - PADDING_PX));
	return PADDING_PX + heights.reduce((sum, height) => sum + height, 0);
}

function estimateLine(line: string, width: number): number {
	if (line === '') return EMPTY_LINE_PX;
	const style = line.startsWith('## ') ? HEADING : line.startsWith('### ') ? SMALL_HEADING : TEXT;
	const isEntry = /^(\d+\.|-) /.test(line);
	const perLine = Math.floor((width - (isEntry ? LIST_INDENT_PX : 0)) / style.characterPx);
	const text = line.replace(/[*`#]/g, '').trim();
	return Math.ceil(text.length / perLine) * style.linePx + style.marginPx;
}
