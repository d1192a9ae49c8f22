import type { Project } from '../domain/Project';
import { ServiceError } from '../domain/ServiceError';
import type { FaultSpec } from '../faults/FaultSpec';
import type { SandboxContext } from './SandboxContext';
import { createAccountControls } from './createAccountControls';
import { createQueueControls } from './createQueueControls';
import { readState } from './readState';
import { changeSettings, type SettingsChange } from './SandboxSettings';

type ProjectChange = Partial<Pick<Project, 'name' | 'cost' | 'fails' | 'durations'>>;

export type Controls = ReturnType<typeof createControls>;

/** What tests, and people at the control routes, can do to the sandbox past its API. */
export function createControls(context: SandboxContext) {
	return {
		...createQueueControls(context),
		...createAccountControls(context),
		/** @throws ServiceError `notFound` */
		changeProject(projectId: string, change: ProjectChange): void {
			const project = context.store.projects.get(projectId);
			if (!project) throw new ServiceError('notFound', `There is no project ${projectId}`);
			Object.assign(project, change);
		},
		configure(change: SettingsChange): void {
			Object.assign(context.settings, changeSettings(context.settings, change));
		},
		/** A copy of everything the sandbox knows now. */
		readState: () => readState(context),
		/** @returns its id, for `removeFault`. @throws TypeError for an unknown kind or option */
		addFault: (spec: FaultSpec) => context.faults.add(spec),
		removeFault: (id: number) => {
			context.faults.remove(id);
		},
		clearFaults: () => {
			context.faults.clear();
		},
		clearRequests: () => {
			context.requests.clear();
		},
		/** Everything as it was at the start: store, clock, settings; no request, no fault. */
		reset: context.reset,
	};
}
