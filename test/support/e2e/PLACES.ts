import { resolve } from 'node:path';

export const PACKAGE = 'n8n-nodes-video-generation';

/** Everything that these tests write is below it. */
export const E2E_FOLDER = resolve('.n8n-local', 'e2e');
