import type { N8nClient } from '../../../scripts/n8n/N8nClient';
import type { WorkflowStep } from './buildWorkflow';

/** A data table of n8n, with columns of text. */
export class DataTable {
	private constructor(
		private readonly address: string,
		private readonly id: string,
	) {}

	static async create(client: N8nClient, name: string, columns: string[]): Promise<DataTable> {
		const { id: projectId } = await client.request<{ id: string }>('GET', '/projects/personal');
		const address = `/projects/${projectId}/data-tables`;
		const { id } = await client.request<{ id: string }>('POST', address, {
			name,
			columns: columns.map((column) => ({ name: column, type: 'string' })),
		});
		return new DataTable(`${address}/${id}`, id);
	}

	async listRows(client: N8nClient): Promise<Record<string, unknown>[]> {
		const { data } = await client.request<{ data: Record<string, unknown>[] }>(
			'GET',
			`${this.address}/rows`,
		);
		return data;
	}

	/** A step with n8n's own node for it. */
	buildStep(name: string, operation: string, parameters: object = {}): WorkflowStep {
		return {
			name,
			type: 'n8n-nodes-base.dataTable',
			parameters: {
				resource: 'row',
				operation,
				dataTableId: { __rl: true, mode: 'id', value: this.id },
				...parameters,
			},
		};
	}
}
