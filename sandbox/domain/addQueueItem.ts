import type { Account } from './Account';
import type { Project } from './Project';
import type { QueueItem } from './QueueItem';
import { ServiceError } from './ServiceError';
import type { Store } from './Store';

interface NewQueueItem {
	projectId: string;
	overwriteSettings?: boolean;
	customPrompt?: string | null;
}

/**
 * Queues a generation and takes its cost from the account (POST /v1/queue/add).
 *
 * @throws ServiceError `invalidInput` for a project that is not the account's own, or a prompt
 *   that is required and missing; `insufficientCredits`. Nothing is spent then.
 */
export function addQueueItem(
	store: Store,
	account: Account,
	input: NewQueueItem,
	now: number,
): QueueItem {
	const project = store.projects.get(input.projectId);
	if (project?.accountId !== account.id) {
		throw new ServiceError('invalidInput', 'projectId: no project of this account has this id');
	}
	if (input.overwriteSettings === true && isBlank(input.customPrompt)) {
		throw new ServiceError(
			'invalidInput',
			'customPrompt is required when overwriteSettings is true',
		);
	}
	spendCredits(account, project);
	const item: QueueItem = {
		queueId: createQueueId(store),
		accountId: account.id,
		projectId: project.id,
		createdAt: now,
		durations: { ...store.settings.durations, ...project.durations },
		outcome: project.fails ? 'failed' : 'completed',
		forced: null,
		videoId: store.createId(),
		logged: false,
		left: false,
		overwriteSettings: input.overwriteSettings ?? false,
		customPrompt: input.customPrompt ?? null,
	};
	store.queue.set(item.queueId, item);
	const { queueId, accountId, projectId, customPrompt, overwriteSettings, videoId } = item;
	store.charges.push({
		...{ queueId, accountId, projectId, customPrompt, overwriteSettings },
		...{ cost: project.cost, at: now, videoId },
	});
	return item;
}

/** A UUID, or 48 of its bits as a number that JSON can carry exactly. */
function createQueueId({ createId, settings }: Store): string {
	const id = createId();
	return settings.numericQueueIds ? String(parseInt(id.replace('-', '').slice(0, 12), 16)) : id;
}

function isBlank(text: string | null | undefined): boolean {
	return (text ?? '').trim() === '';
}

function spendCredits(account: Account, project: Project): void {
	if (account.credits < project.cost) {
		throw new ServiceError(
			'insufficientCredits',
			`Insufficient credits: this video costs ${project.cost}, the account has ${account.credits}`,
		);
	}
	account.credits -= project.cost;
}
