import type {
	INodeExecutionData,
	INodeType,
	INodeTypeDescription,
	IPollFunctions,
} from 'n8n-workflow';
import { NodeConnectionTypes } from 'n8n-workflow';
import { getProjects } from './listSearch/projects';
import { CREDENTIAL } from '../../credentials/connection';
import { triggerPanel, triggerProperties } from './trigger/triggerParameters';
import { pollVideos } from './trigger/poll';

export class VideoGenerationTrigger implements INodeType {
	description: INodeTypeDescription = {
		displayName: 'Video Generation Trigger',
		name: 'videoGenerationTrigger',
		icon: {
			light: 'file:../../icons/videoGeneration.svg',
			dark: 'file:../../icons/videoGeneration.dark.svg',
		},
		group: ['trigger'],
		version: 1,
		subtitle: 'Finished Videos',
		// n8n's nodes panel shows a single entry for both nodes, with this text, so it covers the actions too.
		description:
			'Generate videos from your projects, get their files, and start a workflow for every finished one',
		defaults: { name: 'Video Generation Trigger' },
		polling: true,
		triggerPanel,
		builderHint: {
			searchHint:
				"Starts the workflow for finished videos of the account, each once, whoever queued it, and costs no credits. Use it instead of a Schedule Trigger with 'getAll', and after operation: 'add'. Do not use it for videos of operation: 'generate', which returns them itself. It outputs id, url, createdAt and projectId: for the file, add resource: 'video', operation: 'download'.",
		},
		inputs: [],
		outputs: [NodeConnectionTypes.Main],
		credentials: [{ name: CREDENTIAL, required: true }],
		properties: triggerProperties,
	};

	methods = { loadOptions: { getProjects } };

	async poll(this: IPollFunctions): Promise<INodeExecutionData[][] | null> {
		const items = await pollVideos(this);
		return items.length === 0 ? null : [items];
	}
}
