import path from 'node:path';
import type { ICredentialType, INodeType } from 'n8n-workflow';
import { PackageDirectoryLoader } from 'n8n-core';

/** The folder of the package: this build, or a package elsewhere. */
export const PACKAGE_ROOT =
	process.env.VIDEO_GENERATION_PACKAGE ?? path.resolve(__dirname, '../../..');

export interface LoadedPackage {
	nodes: Record<string, INodeType>;
	credentials: Record<string, ICredentialType>;
}

let loaded: Promise<LoadedPackage> | undefined;

/** Loads the built package with n8n's own loader, like a community package. */
export async function loadPackage(): Promise<LoadedPackage> {
	loaded ??= load();
	return await loaded;
}

async function load(): Promise<LoadedPackage> {
	const loader = new PackageDirectoryLoader(PACKAGE_ROOT);
	await loader.loadAll();
	const nodes = Object.entries(loader.nodeTypes).map(
		([name, { type }]) => [`${loader.packageName}.${name}`, type as INodeType] as const,
	);
	const credentials = Object.entries(loader.credentialTypes).map(
		([name, { type }]) => [name, type] as const,
	);
	return { nodes: Object.fromEntries(nodes), credentials: Object.fromEntries(credentials) };
}
