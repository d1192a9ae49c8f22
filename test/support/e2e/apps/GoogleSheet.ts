import type { App } from './InterceptingProxy';

const TITLE = 'Videos';

/** One sheet of Google Sheets, as far as n8n's node asks for it: to read rows and to write cells. */
export class GoogleSheet {
	private cells: unknown[][] = [];
	/** How each write said that values are to be taken: as they are, or as if typed in. */
	readonly inputOptions: string[] = [];
	/** So many writes are taken, and those after them refused. */
	writesLeft = Infinity;

	readonly choice = {
		documentId: { __rl: true, mode: 'id', value: 'document' },
		sheetName: { __rl: true, mode: 'name', value: TITLE },
	};

	/** The first row holds the names of the columns. */
	fill(rows: unknown[][]): void {
		this.cells = rows.map((row) => [...row]);
		this.inputOptions.length = 0;
		this.writesLeft = Infinity;
	}

	/** The rows as a person reads them, by the names of the columns. */
	get rows(): Record<string, unknown>[] {
		const [names = [], ...rows] = this.cells;
		return rows.map((row) =>
			Object.fromEntries(names.map((name, index) => [String(name), row[index] ?? ''])),
		);
	}

	readonly answer: App = ({ method, path, body }) => {
		const [, rest] = path.split('/v4/spreadsheets/document');
		if (method === 'GET' && rest === '') {
			return { body: { sheets: [{ properties: { sheetId: 1, title: TITLE, index: 0 } }] } };
		}
		if (method === 'GET' && rest?.startsWith('/values/')) return { body: { values: this.cells } };
		if (method === 'POST' && rest === '/values:batchUpdate') {
			if (this.writesLeft-- <= 0) return { status: 500, body: { error: { message: 'Broken' } } };
			this.write(JSON.parse(body.toString()) as CellUpdates);
			return { body: {} };
		}
		return undefined;
	};

	private write({ data, valueInputOption }: CellUpdates): void {
		this.inputOptions.push(valueInputOption);
		for (const { range, values } of data) {
			const [, column = '', row = ''] = /!([A-Z])(\d+)$/.exec(range) ?? [];
			const cells = this.cells[Number(row) - 1];
			if (!cells) throw new Error(`There is no row for ${range}`);
			cells[column.charCodeAt(0) - 'A'.charCodeAt(0)] = values[0]?.[0];
		}
	}
}

interface CellUpdates {
	valueInputOption: string;
	data: { range: string; values: unknown[][] }[];
}
