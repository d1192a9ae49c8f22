import type { FailureText } from '../failures/FailureText';
import type { OperationPolicy } from './prepareRequest';

const NO_QUEUE_ITEM: FailureText = {
	message: 'The video service has no queue item with this ID',
	description:
		'Check "Queue ID" of this item. The queue item may belong to another account, may have been cleared, or may have left the queue when its video was finished: look for the video with Video > Get Many.',
};

/** Costs a credit: sent one at a time, and never again once it may have been accepted. */
export const ADD: OperationPolicy = {
	requestKind: 'add',
	fields: '"Project" and "Custom Prompt"',
	notFound: {
		message: 'The video service does not know this project',
		description:
			'Check "Project" of this item: choose it from the list, which shows the projects of the account. No video was queued for this item.',
	},
};

/** Cannot be undone, but does no harm when it is sent again. */
export const CLEAR: OperationPolicy = {
	requestKind: 'clear',
	fields: '"Queue ID"',
	notFound: NO_QUEUE_ITEM,
};

export const READ_QUEUE_ITEM: OperationPolicy = {
	requestKind: 'read',
	fields: '"Queue ID"',
	notFound: NO_QUEUE_ITEM,
};

export const READ_PROJECTS: OperationPolicy = {
	requestKind: 'read',
	fields: '"Sort By" and "Sort Order"',
};

/** Has no parameter that the service could reject. */
export const READ: OperationPolicy = { requestKind: 'read' };

/** The trigger's. Nothing is lost by a poll that fails: the next one sees what this one would have seen. */
export const POLL: OperationPolicy = {
	requestKind: 'read',
	rateLimitAdvice:
		'The next poll asks again, and no video is missed. If this comes often, choose longer Poll Times.',
};
