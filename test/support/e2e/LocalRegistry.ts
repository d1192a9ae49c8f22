import { createHash } from 'node:crypto';
import { mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import { delimiter, dirname, join } from 'node:path';
import { findProgram } from '../../../scripts/requirements';
import { E2E_FOLDER, PACKAGE } from './PLACES';
import { readProvided } from './provided';

const TARBALL_PATH = '/package.tgz';

/**
 * Replaces the registry from which n8n installs community packages, and serves the packed package.
 * n8n accepts another registry only with a license, so the npm that n8n runs is redirected to this
 * one. n8n's own requests to the internet go through a proxy that rejects them all.
 */
export class LocalRegistry {
	private readonly tarball = readTarball();

	private readonly server = http
		.createServer((request, response) => {
			if (request.url === TARBALL_PATH) response.end(this.tarball);
			else if (request.url === `/${PACKAGE}`) response.end(JSON.stringify(this.describePackage()));
			else response.writeHead(404).end('{}');
		})
		.on('connect', (_request, socket) => socket.destroy());

	/** The version of the packed package. */
	readonly version = (JSON.parse(readFileSync('package.json', 'utf8')) as { version: string })
		.version;

	/** @returns the environment variables with which n8n uses this registry */
	async start(folder: string): Promise<Record<string, string>> {
		await new Promise<void>((resolve) => this.server.listen(0, '127.0.0.1', resolve));
		const bin = join(folder, 'bin');
		mkdirSync(bin, { recursive: true });
		writeFileSync(join(bin, 'npm'), this.writeNpm(), { mode: 0o755 });
		const path = [bin, dirname(readProvided().node), process.env.PATH];
		return {
			PATH: path.join(delimiter),
			HTTPS_PROXY: this.url,
			NO_PROXY: '127.0.0.1',
			npm_config_cache: join(folder, 'npm-cache'),
		};
	}

	async stop(): Promise<void> {
		this.server.closeAllConnections();
		await new Promise((resolve) => this.server.close(resolve));
	}

	private get url(): string {
		return `http://127.0.0.1:${(this.server.address() as AddressInfo).port}`;
	}

	/** Returns a script that runs npm with this registry instead of the requested one. */
	private writeNpm(): string {
		return [
			'#!/bin/sh',
			'for argument; do',
			'  shift',
			'  case $argument in --registry=*) ;; *) set -- "$@" "$argument" ;; esac',
			'done',
			`exec "${findProgram('npm')}" "$@" --registry=${this.url}`,
			'',
		].join('\n');
	}

	private describePackage(): object {
		const { version, tarball } = this;
		const integrity = `sha512-${createHash('sha512').update(tarball).digest('base64')}`;
		const dist = { tarball: `${this.url}${TARBALL_PATH}`, integrity };
		return {
			name: PACKAGE,
			'dist-tags': { latest: version },
			versions: { [version]: { name: PACKAGE, version, dist } },
		};
	}
}

function readTarball(): Buffer {
	const folder = join(E2E_FOLDER, 'package');
	const [name = ''] = readdirSync(folder);
	return readFileSync(join(folder, name));
}
