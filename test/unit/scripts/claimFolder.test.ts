import { spawn } from 'node:child_process';
import { join, relative } from 'node:path';
import { claimFolder } from '../../../scripts/start/claimFolder';
import { createFolder } from './support/createFolder';

const LISTEN = 'require("node:net").createServer().listen(process.argv[1], () => console.log(1))';

describe('claiming a folder', () => {
	it('is refused while somebody holds it, and works again afterwards', async () => {
		const folder = createFolder();
		const claim = await claimFolder(folder);
		await expect(claimFolder(folder)).rejects.toThrow('"npm start" already runs in this project');

		await new Promise((resolve) => claim.close(resolve));

		(await claimFolder(folder)).close();
	});

	it('works when the one who held it was killed', async () => {
		const folder = createFolder();
		const socket = join(relative(process.cwd(), folder), 'claim.sock');
		const holder = spawn(process.execPath, ['-e', LISTEN, socket]);
		await new Promise((resolve) => holder.stdout.once('data', resolve));
		await expect(claimFolder(folder)).rejects.toThrow('already runs');
		const closed = new Promise((resolve) => holder.once('close', resolve));
		holder.kill('SIGKILL');
		await closed;

		(await claimFolder(folder)).close();
	});
});
