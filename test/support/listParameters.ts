import type { INodeProperties } from 'n8n-workflow';

/** Lists every parameter, including those inside collections. */
export function listParameters(properties: INodeProperties[]): INodeProperties[] {
	return properties.flatMap((property) => [
		property,
		...(property.type === 'collection'
			? listParameters(property.options as INodeProperties[])
			: []),
	]);
}
