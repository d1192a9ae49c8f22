import { crc32 } from 'node:zlib';

const SIGNATURE_BYTES = 8;

interface Chunk {
	type: string;
	data: Buffer;
}

/**
 * Makes one animated PNG of pictures of the same size, each shown for this many seconds, over and
 * over. A viewer that knows no animations shows the first one.
 */
export function animate(pictures: Buffer[], seconds: number): Buffer {
	const [first] = pictures;
	if (!first) throw new Error('There is no picture to animate.');
	const [head] = readChunks(first);
	if (!head) throw new Error('The picture is no PNG.');
	let sequence = 0;
	const frames = pictures.flatMap((picture, index) => {
		const control = Buffer.alloc(26);
		control.writeUInt32BE(sequence++, 0);
		// The width and the height of the frame, which are those of the picture.
		head.data.copy(control, 4, 0, 8);
		control.writeUInt16BE(seconds, 20);
		control.writeUInt16BE(1, 22);
		const parts = readChunks(picture)
			.filter(({ type }) => type === 'IDAT')
			.map(({ type, data }): Chunk => {
				if (index === 0) return { type, data };
				const number = Buffer.alloc(4);
				number.writeUInt32BE(sequence++);
				return { type: 'fdAT', data: Buffer.concat([number, data]) };
			});
		return [{ type: 'fcTL', data: control }, ...parts];
	});
	const animation = Buffer.alloc(8);
	animation.writeUInt32BE(pictures.length);
	const chunks = [head, { type: 'acTL', data: animation }, ...frames];
	return Buffer.concat([
		first.subarray(0, SIGNATURE_BYTES),
		...[...chunks, { type: 'IEND', data: Buffer.alloc(0) }].map(writeChunk),
	]);
}

function readChunks(picture: Buffer): Chunk[] {
	const chunks: Chunk[] = [];
	for (let at = SIGNATURE_BYTES; at < picture.length;) {
		const length = picture.readUInt32BE(at);
		const data = picture.subarray(at + 8, at + 8 + length);
		chunks.push({ type: picture.toString('latin1', at + 4, at + 8), data });
		at += length + 12;
	}
	return chunks;
}

function writeChunk({ type, data }: Chunk): Buffer {
	const body = Buffer.concat([Buffer.from(type, 'latin1'), data]);
	const chunk = Buffer.alloc(body.length + 8);
	chunk.writeUInt32BE(data.length);
	body.copy(chunk, 4);
	chunk.writeUInt32BE(crc32(body), body.length + 4);
	return chunk;
}
