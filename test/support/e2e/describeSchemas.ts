import axios from 'axios';
import { loadSchema } from '../schemas/loadSchema';
import { PACKAGE } from './PLACES';
import type { RealN8nInTests } from './useRealN8n';

interface NodeType {
	name: string;
	properties: {
		name: string;
		displayOptions?: { show?: { resource?: string[] } };
		options?: { value: string }[];
	}[];
}

/** Tests the output schemas that an n8n with an editor offers. */
export function describeSchemas(real: RealN8nInTests): void {
	const get = async (path: string) =>
		await axios.get<unknown>(`${real.client.address}${path}`, {
			proxy: false,
			validateStatus: () => true,
		});
	const address = (type: string, ...place: string[]) =>
		`/schemas/${[`${PACKAGE}.${type}`, '1.0.0', ...place].join('/')}.json`;

	test("the editor is given each operation's output schema, as the package has it", async () => {
		const types = await real.client.request<NodeType[]>('POST', '/node-types', {
			nodeInfos: [{ name: `${PACKAGE}.videoGeneration`, version: 1 }],
		});
		const operations = (types[0]?.properties ?? [])
			.filter(({ name }) => name === 'operation')
			.flatMap(({ displayOptions, options = [] }) =>
				options.map(({ value }) => [displayOptions?.show?.resource?.[0] ?? '', value] as const),
			);
		expect(operations).toHaveLength(9);
		for (const [resource, operation] of operations) {
			const { status, data } = await get(address('videoGeneration', resource, operation));
			expect({ status, data }).toEqual({
				status: 200,
				data: loadSchema(`${resource}.${operation}`),
			});
		}
	});

	test('the editor is given none for what is no operation, nor for the trigger', async () => {
		expect((await get(address('videoGeneration', 'queue', 'nothing'))).status).toBe(404);
		expect((await get(address('videoGenerationTrigger'))).status).toBe(404);
	});
}
