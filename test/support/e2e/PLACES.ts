import { join, resolve } from 'node:path';

export const PACKAGE = 'n8n-nodes-video-generation';

/** Everything that these tests write is below it. */
export const E2E_FOLDER = resolve('.n8n-local', 'e2e');

/** A user folder of n8n with the packed package and nothing else: each test's n8n gets a copy. */
export const TEMPLATE_FOLDER = join(E2E_FOLDER, 'template');
