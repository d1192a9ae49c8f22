import { createHash } from 'node:crypto';
import fs from 'node:fs';
import os from 'node:os';
import path from 'node:path';
import type { BinaryDataService } from 'n8n-core';
import type { IBinaryData } from 'n8n-workflow';
import { startBinaryStore } from './startBinaryStore';

export interface BinaryStore {
	readonly service: BinaryDataService;
	/** Every file below the store's folder, half ones as well, but not the notes beside the files. */
	listFiles(): string[];
	/** What the store has under an item's binary field. */
	hash(file: IBinaryData | undefined): Promise<string>;
}

/** n8n's binary store in its filesystem mode, in a folder of its own that is empty for each test. */
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
		listFiles: () =>
			fs
				.readdirSync(folder, { recursive: true, withFileTypes: true })
				.filter((entry) => entry.isFile() && !entry.name.endsWith('.metadata'))
				.map(({ name }) => name),
		hash: async (file) => {
			const hash = createHash('sha256');
			const stream = (await held.service?.getAsStream(file?.id ?? '')) ?? [];
			for await (const chunk of stream) hash.update(chunk as Buffer);
			return hash.digest('hex');
		},
	};
}
