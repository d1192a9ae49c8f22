import type { N8nClient } from '../../../scripts/n8n/N8nClient';

/** Maximum number of rows that n8n lists at once. */
const MAX_ROWS = 250;

/** A data table of n8n. */
export class DataTable {
	private constructor(private readonly address: string) {}

	/** Finds the table with this name, which a workflow has created. */
	static async find(client: N8nClient, name: string): Promise<DataTable> {
		const { id: projectId } = await client.request<{ id: string }>('GET', '/projects/personal');
		const address = `/projects/${projectId}/data-tables`;
		const filter = encodeURIComponent(JSON.stringify({ name }));
		const { data } = await client.request<{ data: { id: string }[] }>(
			'GET',
			`${address}?filter=${filter}`,
		);
		const [table] = data;
		if (!table) throw new Error(`There is no data table "${name}"`);
		return new DataTable(`${address}/${table.id}`);
	}

	/** Returns the rows in the order in which they were inserted. */
	async listRows(client: N8nClient): Promise<Record<string, unknown>[]> {
		const { data } = await client.request<{ data: Record<string, unknown>[] }>(
			'GET',
			`${this.address}/rows?take=${MAX_ROWS}&sortBy=id:asc`,
		);
		return data;
	}
}
