import type { startSandbox } from './startSandbox';

/** A running sandbox as a test sees it. */
export type Sandbox = Awaited<ReturnType<typeof startSandbox>>;
