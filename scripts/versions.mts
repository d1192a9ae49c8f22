import { readdirSync } from 'node:fs';
import { installManifest } from './support/cache.mjs';

/** The versions of n8n whose engines the tests run in, oldest first. The newest one is among the dependencies. */
export const VERSIONS = readdirSync('scripts/versions').sort((a, b) =>
	a.localeCompare(b, 'en', { numeric: true }),
);

export const OLDEST = VERSIONS[0] ?? '';

export const ENGINE_ARGS = ['--config', 'test/versions/jest.config.js'];

/** What must hold in the whole of the oldest n8n as in the newest one. */
export const WHOLE_ARGS = ['--config', 'test/versions/jest.whole.config.js'];

/** Installs the engine of one of the versions. @returns where */
export async function installEngine(version: string): Promise<string> {
	return await installManifest(
		`versions/${version}`,
		`Installing the engine of n8n ${version}: 240 MB`,
	);
}
