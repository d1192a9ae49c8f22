import type { INodeProperties, INodePropertyOptions } from 'n8n-workflow';
import { VideoGeneration } from '../../../nodes/VideoGeneration/VideoGeneration.node';

const { description, customOperations } = new VideoGeneration();

const operationFields = description.properties.filter(({ name }) => name === 'operation');

describe('What the node does with its items itself', () => {
	test('is every operation that the description declares, and nothing else', () => {
		const declared = operationFields.flatMap((field) =>
			listOptions(field).map(({ value }) => `${readResource(field)}.${value}`),
		);
		const given = Object.entries(customOperations).flatMap(([resource, operations]) =>
			Object.keys(operations).map((operation) => `${resource}.${operation}`),
		);
		expect(given.sort()).toEqual(declared.sort());
		expect(given).toHaveLength(8);
	});

	test('is all that the description declares: it has no routing but that of its operations', () => {
		const others = description.properties.filter((field) => !operationFields.includes(field));
		expect(JSON.stringify(others)).not.toContain('"routing"');
	});

	test('takes answers by functions alone, and asks for nothing that n8n would do with them', () => {
		for (const { routing } of operationFields.flatMap(listOptions)) {
			expect(Object.keys({ ...routing?.send }).sort()).toEqual(['paginate', 'preSend']);
			expect(Object.keys({ ...routing?.output })).toEqual(routing?.output ? ['postReceive'] : []);
			for (const action of routing?.output?.postReceive ?? []) {
				expect(typeof action).toBe('function');
			}
		}
	});
});

function readResource({ displayOptions }: INodeProperties): string {
	return displayOptions?.show?.resource?.[0] as string;
}

function listOptions({ options }: INodeProperties): INodePropertyOptions[] {
	return options as INodePropertyOptions[];
}
