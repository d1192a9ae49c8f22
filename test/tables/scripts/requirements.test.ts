import { spawnSync } from 'node:child_process';
import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Browser, chromium } from 'playwright-core';
import { launchBrowser } from '../../../scripts/editor/launchBrowser';

const [installPrograms = ''] =
	/^install_programs\(\) \{[^]*?^\}/m.exec(fs.readFileSync('.ci/run', 'utf8')) ?? [];

/** `sudo` prints what it is to run, which CI asks of it unless `id` prints 0. */
const OTHERS = ['redis-server', 'sudo', 'id'];

describe('On a machine with', () => {
	const { PATH } = process.env;
	let folder: string;

	/** Makes these programs the only ones in the path. Each prints its arguments. */
	const install = (...programs: string[]) => {
		const script = '#!/bin/sh\necho "$@"\n';
		for (const name of programs) fs.writeFileSync(join(folder, name), script, { mode: 0o755 });
	};

	beforeEach(() => {
		folder = fs.mkdtempSync(join(tmpdir(), 'programs-'));
		process.env.PATH = folder;
	});
	afterEach(() => {
		process.env.PATH = PATH;
		fs.rmSync(folder, { recursive: true, force: true });
		jest.restoreAllMocks();
	});

	test.each([
		['Chrome alone', 'google-chrome', ['google-chrome']],
		['Chromium alone', 'chromium', ['chromium']],
		['both', 'google-chrome', ['chromium', 'google-chrome']],
	])('%s, the browser is %s, and CI installs none', async (_title, used, installed) => {
		install(...installed, ...OTHERS);
		const launch = jest.spyOn(chromium, 'launch').mockResolvedValue({} as Browser);
		await launchBrowser();
		expect(launch.mock.calls[0]?.[0]).toMatchObject({ executablePath: join(folder, used) });
		expect(listInstalledByCi()).not.toContain('chromium');
	});

	test('neither Chrome nor Chromium, both are named, and CI installs Chromium', async () => {
		install(...OTHERS);
		await expect(launchBrowser()).rejects.toThrow(
			'There is no browser. Install Google Chrome or Chromium (google-chrome or chromium in the path).',
		);
		expect(listInstalledByCi()).toContain('chromium');
	});

	/** Returns the packages that `.ci/run` passes to apt-get. */
	function listInstalledByCi(): string[] {
		const { status, stdout } = spawnSync(
			'/bin/bash',
			['-c', `${installPrograms}\ninstall_programs`],
			{
				encoding: 'utf8',
				env: { PATH: folder },
			},
		);
		expect(status).toBe(0);
		return stdout.trim().split(/\s+/);
	}
});
