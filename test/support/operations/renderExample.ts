import type { INodeProperties, NodeParameterValueType } from 'n8n-workflow';
import type { RecordedOutput } from './OperationDoc';

/** An example: what was set, what came in, what came out. */
export function renderExample(example: RecordedOutput, parameters: INodeProperties[]): string {
	const { title, input, output, shown = output.length } = example;
	const which = shown < output.length ? `, the first of ${output.length} items` : '';
	const files = output.flatMap(({ binary = {} }) => Object.entries(binary));
	return [
		`**${title}**`,
		renderSettings(example, parameters),
		input ? `Input:\n\n${renderJson(input)}` : '',
		`Output${which}:\n\n${renderJson(output.slice(0, shown).map(({ json }) => json))}`,
		...files.map(
			([name, { fileName = '', mimeType, fileSize = '' }]) =>
				`With a file in \`${name}\`: \`${fileName}\`, ${mimeType}, ${fileSize}.`,
		),
	]
		.filter((part) => part !== '')
		.join('\n\n');
}

function renderSettings(example: RecordedOutput, parameters: INodeProperties[]): string {
	const lines = Object.entries(example.parameters).flatMap(([name, value]) => {
		const parameter = parameters.find((each) => each.name === name);
		if (parameter?.type !== 'collection') return [renderSetting(parameter, name, value)];
		return Object.entries(value as Record<string, NodeParameterValueType>).map(
			([optionName, optionValue]) => {
				const option = (parameter.options as INodeProperties[]).find(
					(each) => each.name === optionName,
				);
				return `${parameter.displayName} → ${renderSetting(option, optionName, optionValue)}`;
			},
		);
	});
	return lines.length === 0 ? '' : `Set: ${lines.join('; ')}.`;
}

function renderSetting(
	parameter: INodeProperties | undefined,
	name: string,
	value: NodeParameterValueType,
): string {
	return `**${parameter?.displayName ?? name}** ${renderValue(value)}`;
}

function renderValue(value: NodeParameterValueType): string {
	if (typeof value === 'boolean') return value ? 'on' : 'off';
	if (typeof value === 'string') return `\`${value.replace(/^=/, '')}\``;
	if (typeof value === 'object' && value !== null && 'mode' in value) {
		return `by ID ${renderValue(value.value)}`;
	}
	return `\`${JSON.stringify(value)}\``;
}

function renderJson(value: unknown): string {
	return `\`\`\`json\n${JSON.stringify(value, null, 2)}\n\`\`\``;
}
