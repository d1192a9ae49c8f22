import type { TriggerPanelDefinition } from 'n8n-workflow';

const TESTING =
	"<b>While building your workflow</b>, click the 'fetch test event' button. It shows your newest finished video here, and changes nothing about which videos start the workflow later.";
const LISTED =
	"These executions will show up in the <a data-key='executions'>executions list</a>, but not in the editor.";

/** What n8n's panel says before there is any output, in the words of n8n's own triggers. */
export const triggerPanel: TriggerPanelDefinition = {
	header: 'Starts the workflow for every finished video',
	executionsHelp: {
		inactive: `${TESTING}<br /> <br /><b>Once you're happy with your workflow</b>, publish it. Then every time n8n finds videos that have been finished since, the workflow will execute once for all of them. ${LISTED}`,
		active: `${TESTING}<br /> <br /><b>Your workflow will also execute automatically</b>, since it's activated. Every time n8n finds videos that have been finished since the last time, the workflow will execute once for all of them. ${LISTED}`,
	},
	activationHint:
		'Once you’ve finished building your workflow, publish it to have it start for every finished video (you just won’t see those executions here).',
};
