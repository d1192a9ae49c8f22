import type { Operation } from '../domain/Operation';

/** One method at one path. */
export interface SandboxRoute {
	method: string;
	/** With `:name` for its parameters. */
	path: string;
	/** Undefined on control routes. */
	operation: Operation | undefined;
}
