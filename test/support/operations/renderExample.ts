import type { INodeParameters, INodeProperties, NodeParameterValueType } from 'n8n-workflow';
import type { RecordedOutput } from './OperationDoc';

/** Renders an example: the settings, and the first output item. */
export function renderExample(
	{ example, parameters, output }: RecordedOutput,
	fields: INodeProperties[],
): string {
	const settings = listSettings(parameters, fields).join(' and ');
	return [
		`**Example:** ${example}${settings === '' ? '' : `, with ${settings}`}`,
		`\`\`\`json\n${JSON.stringify(output[0]?.json, null, 2)}\n\`\`\``,
	].join('\n\n');
}

function listSettings(parameters: INodeParameters, fields: INodeProperties[]): string[] {
	return Object.entries(parameters).flatMap(([name, value]) => {
		const field = fields.find((each) => each.name === name);
		return field?.type === 'collection'
			? listSettings(value as INodeParameters, field.options as INodeProperties[])
			: [`**${field?.displayName ?? name}** ${renderValue(value)}`];
	});
}

function renderValue(value: NodeParameterValueType): string {
	if (typeof value === 'boolean') return value ? 'on' : 'off';
	if (typeof value === 'string') return `\`${value.replace(/^=/, '')}\``;
	if (typeof value === 'object' && value !== null && 'mode' in value) {
		return renderValue(value.value);
	}
	return `\`${JSON.stringify(value)}\``;
}
