import { resolve } from 'node:path';

export const PACKAGE = 'n8n-nodes-video-generation';

/** The folder for everything that these tests write. */
export const E2E_FOLDER = resolve('.n8n-local', 'e2e');

interface Installation {
	/** The node binary, and the script of n8n to run with it. */
	node: string;
	n8n: string;
	/** A user folder of n8n that contains only the packed package; each test's n8n gets a copy. */
	template: string;
}

/** Returns the paths of the installation that `npm run test:e2e` made before it started jest. */
export function readInstallation(): Installation {
	const installation = process.env.VIDEO_GENERATION_E2E;
	if (!installation) throw new Error('Run these tests with "npm run test:e2e"');
	return JSON.parse(installation) as Installation;
}
