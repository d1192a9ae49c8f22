import type { Account } from './Account';
import type { Charge } from './Charge';
import type { Project } from './Project';
import type { QueueItem } from './QueueItem';
import type { ServiceSettings } from './ServiceSettings';
import type { VideoLog } from './VideoLog';

/** Everything the service remembers. Plain data: what happens to it is in the functions around it. */
export interface Store {
	accounts: Map<string, Account>;
	projects: Map<string, Project>;
	queue: Map<string, QueueItem>;
	/** By account id, in the order in which they were logged. */
	videos: Map<string, VideoLog[]>;
	/** Every accepted add, in order. */
	charges: Charge[];
	settings: ServiceSettings;
	/** The next unused id of a queue item or video. */
	createId: () => string;
}
