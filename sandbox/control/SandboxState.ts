import type { Account } from '../domain/Account';
import type { Charge } from '../domain/Charge';
import type { Clock } from '../domain/Clock';
import type { Project } from '../domain/Project';
import type { QueueItem } from '../domain/QueueItem';
import type { QueueItemLife } from '../domain/QueueItemLife';
import type { FaultList } from '../faults/createFaultList';
import type { SandboxSettings } from './SandboxSettings';

/** Everything that the sandbox knows at one moment, of all accounts. */
export interface SandboxState {
	clock: { kind: Clock['kind']; now: string };
	settings: SandboxSettings;
	accounts: (Account & { videoCount: number })[];
	projects: Project[];
	queue: (QueueItem & QueueItemLife)[];
	/** Every accepted add, in order, whatever became of its item. */
	charges: Charge[];
	faults: ReturnType<FaultList['list']>;
	requestCount: number;
}
