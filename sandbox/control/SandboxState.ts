import type { Account } from '../domain/Account';
import type { Clock } from '../domain/Clock';
import type { Project } from '../domain/Project';
import type { QueueItem } from '../domain/QueueItem';
import type { QueueItemLife } from '../domain/QueueItemLife';
import type { FaultList } from '../faults/createFaultList';
import type { SandboxSettings } from './SandboxSettings';

/** Everything that the sandbox knows at one moment, of all accounts. */
export interface SandboxState {
	clock: { kind: Clock['kind']; now: string };
	settings: Omit<SandboxSettings, 'durations'>;
	accounts: (Account & { videoCount: number })[];
	projects: Project[];
	queue: (QueueItem & QueueItemLife)[];
	faults: ReturnType<FaultList['list']>;
	requestCount: number;
}
