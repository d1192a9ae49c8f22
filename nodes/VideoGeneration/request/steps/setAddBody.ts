import { NodeOperationError } from 'n8n-workflow';
import { readParameter } from '../readParameter';
import { readText } from '../readText';
import { addDetails } from '../prepareRequest';
import type { RequestStep } from '../prepareRequest';

/**
 * The body of "POST /v1/queue/add": optional fields are absent when they are not set.
 *
 * @throws a NodeOperationError without a project, or with "Overwrite Settings" on and no prompt
 */
export const setAddBody: RequestStep = (context, request) => {
	const projectId = readText(context.getNodeParameter('projectId', '', { extractValue: true }));
	const overwriteSettings = context.getNodeParameter('overwriteSettings', false) === true;
	const prompt = readParameter(context, 'customPrompt');
	const customPrompt = typeof prompt === 'string' && prompt.trim() !== '' ? prompt : undefined;
	addDetails(request, { projectId });

	const refuse = (message: string, description: string) =>
		new NodeOperationError(context.getNode(), message, {
			itemIndex: context.getItemIndex(),
			description: `${description} Nothing was queued for this item, and no credit was spent.`,
		});
	if (projectId === '') {
		throw refuse('"Project" is empty', 'Choose a project from the list, or enter its ID.');
	}
	if (overwriteSettings && customPrompt === undefined) {
		throw refuse(
			'"Custom Prompt" is empty',
			'It is required with "Overwrite Settings" on: enter a prompt, or turn "Overwrite Settings" off.',
		);
	}
	request.body = {
		projectId,
		...(overwriteSettings ? { overwriteSettings } : {}),
		...(customPrompt === undefined ? {} : { customPrompt }),
	};
};
