/** A Markdown table; nothing when it has no rows. */
export function renderTable(head: string[], rows: string[][]): string {
	if (rows.length === 0) return '';
	const line = (cells: string[]) =>
		`| ${cells.map((cell) => cell.replaceAll('|', '\\|').replaceAll('\n', '<br>')).join(' | ')} |`;
	return [line(head), line(head.map(() => '---')), ...rows.map(line)].join('\n');
}
