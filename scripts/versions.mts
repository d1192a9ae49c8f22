import { readdirSync } from 'node:fs';
import { installManifest } from './support/cache.mjs';

/**
 * The versions of n8n whose engines the tests run in, oldest first. The newest version is a
 * dependency of this project instead.
 */
export const VERSIONS = readdirSync('scripts/versions').sort((a, b) =>
	a.localeCompare(b, 'en', { numeric: true }),
);

export const OLDEST = VERSIONS[0] ?? '';

export const ENGINE_ARGS = ['--config', 'test/versions/jest.config.js'];

/** Arguments for the tests in a real n8n that must pass in its oldest and its newest version. */
export const WHOLE_ARGS = ['--config', 'test/versions/jest.whole.config.js'];

/** Installs the engine of one of the versions. @returns its folder */
export async function installEngine(version: string): Promise<string> {
	return await installManifest(
		`versions/${version}`,
		`Installing the engine of n8n ${version}: 240 MB`,
	);
}
