import type { N8nClient } from '../n8n/N8nClient';
import type { BinaryFile, Execution } from '../n8n/n8nTypes';
import { ReadableError } from '../ReadableError';
import { readMp4Boxes } from './readMp4Boxes';

const PLAYABLE = ['ftyp', 'moov', 'mdat'];

/**
 * The video files that an execution has, as lines to print: name, type, size, and that they play,
 * which their boxes tell.
 * @returns nothing when there is no file; rejects when one is no video that plays
 */
export async function describeFiles(client: N8nClient, execution: Execution): Promise<string[]> {
	const files = new Map<string, BinaryFile>();
	for (const runs of Object.values(execution.data.resultData.runData ?? {})) {
		for (const item of runs
			.flatMap(({ data }) => data?.main ?? [])
			.flatMap((items) => items ?? [])) {
			for (const file of Object.values(item.binary ?? {})) files.set(file.id ?? file.data, file);
		}
	}
	return await Promise.all(
		[...files.values()].map(async (file) => await describeFile(client, file)),
	);
}

async function describeFile(client: N8nClient, file: BinaryFile): Promise<string> {
	const content = await client.readBinary(file);
	const boxes = readMp4Boxes(content);
	if (!PLAYABLE.every((name) => boxes.includes(name))) {
		throw new ReadableError(`${file.fileName} does not play: it has only ${boxes.join(', ')}.`);
	}
	return `${file.fileName}, ${file.mimeType}, ${content.length} bytes, plays (MP4 with ${boxes.join(', ')})`;
}
