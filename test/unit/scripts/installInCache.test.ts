import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { installInCache, type Installation } from '../../../scripts/cache/installInCache';
import { createFolder } from './support/createFolder';

let cacheFolder: string;

beforeEach(() => {
	cacheFolder = join(createFolder(), 'cache');
});

function makeInstallation(changes: Partial<Installation> = {}) {
	const install = jest.fn((folder: string) => {
		writeFileSync(join(folder, 'result'), 'complete');
		return Promise.resolve();
	});
	return { name: 'tool', files: { 'package.json': '{"v":1}' }, install, ...changes };
}

describe('installing into the cache', () => {
	it('writes the files, then installs beside them', async () => {
		const install = (folder: string) => {
			expect(readFileSync(join(folder, 'package.json'), 'utf8')).toBe('{"v":1}');
			writeFileSync(join(folder, 'result'), 'complete');
			return Promise.resolve();
		};
		const folder = await installInCache(cacheFolder, makeInstallation({ install }));
		expect(readdirSync(folder).sort()).toEqual(['package.json', 'result']);
	});

	it('installs once, and again when the files say something else', async () => {
		const installation = makeInstallation();
		const first = await installInCache(cacheFolder, installation);
		expect(await installInCache(cacheFolder, installation)).toBe(first);
		expect(installation.install).toHaveBeenCalledTimes(1);

		const other = { ...installation, files: { 'package.json': '{"v":2}' } };
		expect(await installInCache(cacheFolder, other)).not.toBe(first);
		expect(installation.install).toHaveBeenCalledTimes(2);
	});

	it('leaves nothing of an installation that failed, and makes it anew the next time', async () => {
		const install = (folder: string) => {
			writeFileSync(join(folder, 'half'), '');
			return Promise.reject(new Error('the line is cut'));
		};
		await expect(installInCache(cacheFolder, makeInstallation({ install }))).rejects.toThrow(
			'the line is cut',
		);
		expect(readdirSync(cacheFolder)).toEqual([]);

		const folder = await installInCache(cacheFolder, makeInstallation());
		expect(existsSync(join(folder, 'half'))).toBe(false);
		expect(existsSync(join(folder, 'result'))).toBe(true);
	});

	it('does not take what a killed process left for an installation, and removes it', async () => {
		const deadPid = spawnSync(process.execPath, ['-e', '']).pid;
		const finished = await installInCache(cacheFolder, makeInstallation());
		const abandoned = `${finished}.installing-${deadPid}-00ff`;
		mkdirSync(abandoned);

		const other = makeInstallation({ files: { 'package.json': '{"v":2}' } });
		await installInCache(cacheFolder, other);

		expect(existsSync(abandoned)).toBe(false);
		expect(existsSync(finished)).toBe(true);
	});

	it('leaves alone what another process is installing', async () => {
		const busy = join(cacheFolder, `tool-abc.installing-${process.ppid}-00ff`);
		mkdirSync(busy, { recursive: true });
		await installInCache(cacheFolder, makeInstallation());
		expect(existsSync(busy)).toBe(true);
	});

	it('gives two that install the same at the same time one complete folder', async () => {
		let waiting = 0;
		let letGo: () => void = () => undefined;
		const bothAreInstalling = new Promise<void>((resolve) => (letGo = resolve));
		const install = async (folder: string) => {
			waiting += 1;
			if (waiting === 2) letGo();
			await bothAreInstalling;
			writeFileSync(join(folder, 'result'), 'complete');
		};
		const installation = makeInstallation({ install });

		const [first, second] = await Promise.all([
			installInCache(cacheFolder, installation),
			installInCache(cacheFolder, installation),
		]);

		expect(first).toBe(second);
		expect(readFileSync(join(first, 'result'), 'utf8')).toBe('complete');
		expect(readdirSync(cacheFolder)).toHaveLength(1);
	});
});
