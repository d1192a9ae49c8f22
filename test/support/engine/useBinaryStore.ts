import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
// `@n8n/di` comes with n8n-core and is not a dependency of this package: there must be only one copy of it.
import { Container } from '@n8n/di';
import { BinaryDataConfig, BinaryDataService } from 'n8n-core';
import type { IBinaryData } from 'n8n-workflow';
import { hasFeature } from './testWith';

/** Starts n8n's binary store in its filesystem mode, below a folder. */
export async function startBinaryStore(folder: string): Promise<BinaryDataService> {
	const config = Object.assign(Object.create(BinaryDataConfig.prototype) as BinaryDataConfig, {
		mode: 'filesystem',
		// Older versions of n8n read this field.
		availableModes: ['filesystem'],
		localStoragePath: folder,
	});
	Container.set(BinaryDataConfig, config);
	const service = Container.get(BinaryDataService);
	await service.init();
	return service;
}

/** Starts n8n's binary store in a folder of its own, which is emptied before each test. */
export function useBinaryStore() {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'binary-store-'));
	const held = {} as { service: BinaryDataService };
	beforeAll(async () => {
		held.service = await startBinaryStore(folder);
	});
	beforeEach(() => {
		for (const name of fs.readdirSync(folder)) {
			fs.rmSync(path.join(folder, name), { recursive: true });
		}
	});
	afterAll(() => {
		fs.rmSync(folder, { recursive: true });
	});
	return Object.assign(held, {
		/**
		 * Lists all files in the store, without the metadata files beside them. Incomplete files, which have no
		 * metadata, are included if this n8n deletes them.
		 */
		listFiles: () => {
			const names = fs
				.readdirSync(folder, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map(({ name }) => name);
			const isCounted = (name: string) =>
				hasFeature('halfFiles') || names.includes(`${name}.metadata`);
			return names.filter((name) => !name.endsWith('.metadata') && isCounted(name));
		},
		/** Returns the hash of the stored content of an item's binary field. */
		hash: async (file: IBinaryData | undefined): Promise<string> => {
			const hash = createHash('sha256');
			for await (const chunk of await held.service.getAsStream(file?.id ?? '')) {
				hash.update(chunk as Buffer);
			}
			return hash.digest('hex');
		},
	});
}
