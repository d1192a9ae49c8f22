import path from 'node:path';
import type { ICredentialType, INodeType } from 'n8n-workflow';
import * as n8nWorkflow from 'n8n-workflow';
import { PackageDirectoryLoader } from 'n8n-core';

/** The folder of the package: this build, or a package elsewhere. */
export const PACKAGE_ROOT =
	process.env.VIDEO_GENERATION_PACKAGE ?? path.resolve(__dirname, '../../..');

const NODE_NAME = 'n8n-nodes-video-generation.videoGeneration';
const NODE_FILE = path.join(PACKAGE_ROOT, 'dist/nodes/VideoGeneration/VideoGeneration.node.js');

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

/** Loads the node's code once more, as a new process of n8n does: its modules have no memory. */
export async function loadPackageAnew(): Promise<LoadedPackage> {
	const { nodes, credentials } = await loadPackage();
	const anew = { ...nodes };
	// The engine's own n8n-workflow, whose classes it must recognize.
	jest.doMock('n8n-workflow', () => n8nWorkflow);
	// At once, for other executions may load modules of their own meanwhile.
	jest.isolateModules(() => {
		const { VideoGeneration } = jest.requireActual<{ VideoGeneration: new () => INodeType }>(
			NODE_FILE,
		);
		const { customOperations } = new VideoGeneration();
		const type = nodes[NODE_NAME];
		if (!type || !customOperations) throw new Error('The package lacks its node');
		anew[NODE_NAME] = Object.assign(Object.create(type) as INodeType, { customOperations });
	});
	jest.dontMock('n8n-workflow');
	return { nodes: anew, credentials };
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
