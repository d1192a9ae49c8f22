import type { App } from './InterceptingProxy';

const TITLE = 'Videos';

/** The part of Google Sheets that n8n's node needs to read rows and write cells of one sheet. */
export class GoogleSheet {
	private cells: unknown[][] = [];
	/** The input option of each write: whether values are stored as they are, or as if typed in. */
	readonly inputOptions: string[] = [];

	readonly choice = {
		documentId: { __rl: true, mode: 'id', value: 'document' },
		sheetName: { __rl: true, mode: 'name', value: TITLE },
	};

	/** Fills the sheet. The first row contains the names of the columns. */
	fill(rows: unknown[][]): void {
		this.cells = rows.map((row) => [...row]);
		this.inputOptions.length = 0;
	}

	/** Changes cells of the row with this ID, as a person does. */
	change(id: string, values: Record<string, unknown>): void {
		const [names = [], ...rows] = this.cells;
		const row = rows.find((cells) => cells[names.indexOf('id')] === id);
		if (!row) throw new Error(`There is no row with the ID ${id}`);
		for (const [name, value] of Object.entries(values)) row[names.indexOf(name)] = value;
	}

	/** Renames a column. */
	rename(name: string, newName: string): void {
		const [names = []] = this.cells;
		names[names.indexOf(name)] = newName;
	}

	/** The rows as a person reads them, with the names of the columns as keys. */
	get rows(): Record<string, unknown>[] {
		const [names = [], ...rows] = this.cells;
		return rows.map((row) =>
			Object.fromEntries(names.map((name, index) => [String(name), row[index] ?? ''])),
		);
	}

	readonly answer: App = ({ method, path, body }) => {
		const [, rest] = /^\/v4\/spreadsheets\/document(.*)$/.exec(path) ?? [];
		if (method === 'GET' && rest === '') {
			return { body: { sheets: [{ properties: { sheetId: 1, title: TITLE, index: 0 } }] } };
		}
		if (method === 'GET' && rest?.startsWith('/values/')) {
			return { body: { values: this.cells } };
		}
		if (method === 'POST' && rest === '/values:batchUpdate') {
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
