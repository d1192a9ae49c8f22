const SHORT_HEADER_BYTES = 8;
const LONG_HEADER_BYTES = 16;
const BOX_TYPE = /^[\x20-\x7e\xa9]{4}$/;

/**
 * Follows the boxes that an MP4 or QuickTime file consists of, from one header to the next, while
 * the file passes by. Each says how long it is, so a file that ends too early is noticed also when
 * the connection ended as it should.
 */
export class BoxReader {
	private receivedBytes = 0;

	private nextBoxAt = 0;

	private header = Buffer.alloc(0);

	/** Whether the rest cannot be judged: it is the last box's, or no box at all. */
	private isOver = false;

	/** Whether the file has ended in the middle of a box. */
	get isInsideBox(): boolean {
		return !this.isOver && this.receivedBytes < this.nextBoxAt;
	}

	add(chunk: Buffer): void {
		const chunkAt = this.receivedBytes;
		this.receivedBytes += chunk.length;
		while (!this.isOver && this.nextBoxAt + this.header.length < this.receivedBytes) {
			const from = this.nextBoxAt + this.header.length - chunkAt;
			const missingBytes =
				this.header.length < SHORT_HEADER_BYTES
					? SHORT_HEADER_BYTES - this.header.length
					: LONG_HEADER_BYTES - this.header.length;
			this.header = Buffer.concat([this.header, chunk.subarray(from, from + missingBytes)]);
			this.readHeader();
		}
	}

	/** Goes on to the next box, once the header is there. */
	private readHeader(): void {
		const { header } = this;
		if (header.length < SHORT_HEADER_BYTES) return;
		const size = header.readUInt32BE(0);
		if (size === 1 && header.length < LONG_HEADER_BYTES) return;
		const boxBytes = size === 1 ? Number(header.readBigUInt64BE(8)) : size;
		// A size of 0 means "to the end of the file".
		if (boxBytes < header.length || !BOX_TYPE.test(header.toString('latin1', 4, 8))) {
			this.isOver = true;
			return;
		}
		this.nextBoxAt += boxBytes;
		this.header = Buffer.alloc(0);
	}
}
