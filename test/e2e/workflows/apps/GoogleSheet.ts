import type { App } from './InterceptingProxy';

const TITLE = 'Videos';

interface CellUpdates {
	valueInputOption: string;
	data: { range: string; values: unknown[][] }[];
}

/** The part of Google Sheets that n8n's node needs to read rows and write cells of one sheet. */
export class GoogleSheet {
	names: string[] = [];
	/** The rows as a person reads them, with the names of the columns as keys. */
	rows: Record<string, unknown>[] = [];
	/** The input options of all writes: whether values are stored as they are, or as if typed in. */
	readonly inputOptions = new Set<string>();

	readonly choice = {
		documentId: { __rl: true, mode: 'id', value: 'document' },
		sheetName: { __rl: true, mode: 'name', value: TITLE },
	};

	/** Fills the sheet. The first row contains the names of the columns. */
	fill([names = [], ...rows]: string[][]): void {
		this.names = names;
		this.rows = rows.map((cells) =>
			Object.fromEntries(names.map((name, index) => [name, cells[index] ?? ''])),
		);
		this.inputOptions.clear();
	}

	/** Changes cells of the row with this ID, as a person does. */
	change(id: string, values: Record<string, unknown>): void {
		Object.assign(this.rows.find((row) => row.id === id) ?? {}, values);
	}

	readonly answer: App = ({ method, path, body }) => {
		const [, rest] = /^\/v4\/spreadsheets\/document(.*)$/.exec(path) ?? [];
		if (method === 'GET' && rest === '') {
			return { body: { sheets: [{ properties: { sheetId: 1, title: TITLE, index: 0 } }] } };
		}
		if (method === 'GET' && rest?.startsWith('/values/')) {
			const cells = this.rows.map((row) => this.names.map((name) => row[name] ?? ''));
			return { body: { values: [this.names, ...cells] } };
		}
		if (rest !== '/values:batchUpdate') return undefined;
		const { data, valueInputOption } = JSON.parse(body.toString()) as CellUpdates;
		this.inputOptions.add(valueInputOption);
		for (const { range, values } of data) {
			const [, column = '', row = ''] = /!([A-Z])(\d+)$/.exec(range) ?? [];
			const name = this.names[column.charCodeAt(0) - 'A'.charCodeAt(0)] ?? '';
			Object.assign(this.rows[Number(row) - 2] ?? {}, { [name]: values[0]?.[0] });
		}
		return { body: {} };
	};
}
