import { resolve } from 'node:path';

export const PACKAGE = 'n8n-nodes-video-generation';

/** The folder for everything that these tests write. */
export const E2E_FOLDER = resolve('.n8n-local', 'e2e');
