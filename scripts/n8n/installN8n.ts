import { buildNpmEnvironment } from '../cache/buildNpmEnvironment';
import { installInCache } from '../cache/installInCache';
import { readManifest } from '../cache/readManifest';
import { ReadableError } from '../ReadableError';
import type { ProcessSet } from '../processes/ProcessSet';
import { showStep } from '../steps/showStep';
import type { NodeInstallation } from './provideNode';

/**
 * The folder in the cache with n8n in its `node_modules`, installed now if it is not there yet.
 */
export async function installN8n(
	cacheFolder: string,
	node: NodeInstallation,
	processes: ProcessSet,
): Promise<string> {
	const env = buildNpmEnvironment(
		process.env,
		// With the headers at hand, the compiler's helper does not download any.
		node.headersFolder ? { npm_config_nodedir: node.headersFolder } : {},
	);
	return await installInCache(cacheFolder, {
		name: 'n8n',
		files: readManifest(__dirname),
		install: async (cwd) => {
			await showStep(
				`Installing n8n into ${cacheFolder}`,
				() => processes.run('npm', ['install'], { cwd, env }),
				{ hint: 'once; 2 GB, several minutes' },
			);
			await showStep(
				"Preparing n8n's database driver",
				async () => {
					const rebuild = ['rebuild', 'sqlite3', '--ignore-scripts=false'];
					await processes.run('npm', rebuild, { cwd, env }).catch(explain);
					// npm calls a rebuild whose scripts it skipped a success.
					await processes
						.run(node.binary, ['-e', 'require("sqlite3")'], { cwd, env })
						.catch(explain);
				},
				{ hint: 'once; a minute or two where it has to be compiled' },
			);
		},
	});
}

function explain(error: unknown): never {
	throw new ReadableError(
		[
			"n8n's database driver (sqlite3) has no ready-made binary for this machine and could not be compiled.",
			'Install a C++ compiler, make and Python 3, then start again:',
			'  Debian, Ubuntu: apt-get install build-essential python3',
			'  macOS: xcode-select --install',
			'  Windows: Visual Studio Build Tools ("Desktop development with C++") and Python 3',
			`What went wrong:\n${error instanceof Error ? error.message : String(error)}`,
		].join('\n'),
	);
}
