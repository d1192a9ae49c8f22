/** The last lines of a program's output, without the colours, which mean nothing in a message. */
export function readLastLines(output: string, count: number): string {
	// eslint would take the escape character in a literal for a mistake.
	const colours = new RegExp(`${String.fromCharCode(27)}\\[[0-9;]*m`, 'g');
	return output.replace(colours, '').trimEnd().split('\n').slice(-count).join('\n');
}
