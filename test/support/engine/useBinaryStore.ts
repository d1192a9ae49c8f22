import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BinaryDataService } from 'n8n-core';
import type { IBinaryData } from 'n8n-workflow';
import { startBinaryStore } from './startBinaryStore';
import { hasFeature } from './testWith';

export interface BinaryStore {
	readonly service: BinaryDataService;
	/**
	 * Lists all files below the store's folder, without the metadata files beside them. Incomplete
	 * files, which have no metadata, are included if this n8n deletes them.
	 */
	listFiles(): string[];
	/** Returns the hash of the stored content of an item's binary field. */
	hash(file: IBinaryData | undefined): Promise<string>;
}

/**
 * Starts n8n's binary store in its filesystem mode, in its own folder, which is emptied before each
 * test.
 */
export function useBinaryStore(): BinaryStore {
	const folder = fs.mkdtempSync(path.join(os.tmpdir(), 'binary-store-'));
	const held: { service?: BinaryDataService } = {};
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
	return {
		get service() {
			if (!held.service) throw new Error('The store is there from beforeAll to afterAll');
			return held.service;
		},
		listFiles: () => {
			const names = fs
				.readdirSync(folder, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile())
				.map(({ name }) => name);
			const isCounted = (name: string) =>
				hasFeature('halfFiles') || names.includes(`${name}.metadata`);
			return names.filter((name) => !name.endsWith('.metadata') && isCounted(name));
		},
		hash: async (file) => {
			const hash = createHash('sha256');
			const stream = (await held.service?.getAsStream(file?.id ?? '')) ?? [];
			for await (const chunk of stream) hash.update(chunk as Buffer);
			return hash.digest('hex');
		},
	};
}
