import { join } from 'node:path';
import { findCacheFolder } from '../../../scripts/cache/findCacheFolder';
import { PROGRAMS, type Program } from '../../../scripts/debian/PROGRAMS';
import { provideProgram } from '../../../scripts/debian/provideProgram';
import { findN8nBinary } from '../../../scripts/n8n/findN8nBinary';
import { installCommunityPackage } from '../../../scripts/n8n/installCommunityPackage';
import { installN8n } from '../../../scripts/n8n/installN8n';
import { packPackage } from '../../../scripts/n8n/packPackage';
import { provideNode } from '../../../scripts/n8n/provideNode';
import { ProcessSet } from '../../../scripts/processes/ProcessSet';
import { E2E_FOLDER, PACKAGE, TEMPLATE_FOLDER } from './PLACES';
import { keepProvided } from './provided';

/** Before all tests, once: everything that has to be installed is. */
export default async function provideN8n(): Promise<void> {
	const processes = new ProcessSet();
	try {
		const cacheFolder = findCacheFolder();
		const node = await provideNode(cacheFolder, processes);
		const n8nFolder = await installN8n(cacheFolder, node, processes);
		const tarball = await packPackage(join(E2E_FOLDER, 'package'), processes);
		await installCommunityPackage(tarball, PACKAGE, TEMPLATE_FOLDER, processes);
		for (const program of Object.keys(PROGRAMS)) {
			await provideProgram(program as Program, processes);
		}
		keepProvided({ node: node.binary, n8n: findN8nBinary(n8nFolder) });
	} finally {
		await processes.endAll();
	}
}
