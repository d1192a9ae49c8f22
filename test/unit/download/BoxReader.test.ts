import fc from 'fast-check';
import { BoxReader } from '../../../nodes/VideoGeneration/download/BoxReader';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';

const FILE = readVideoFile('launch-film');

function box(type: string, bytes: number, sizeField = bytes + 8): Buffer {
	const header = Buffer.alloc(8 + bytes);
	header.writeUInt32BE(sizeField);
	header.write(type, 4, 'latin1');
	return header;
}

function largeBox(type: string, bytes: number): Buffer {
	const header = box(type, bytes + 8, 1);
	header.writeBigUInt64BE(BigInt(bytes + 16), 8);
	return header;
}

/** Whether a file that comes in pieces of this size ends in the middle of a box. */
function isCutOff(file: Buffer, pieceBytes = file.length): boolean {
	const reader = new BoxReader();
	for (let at = 0; at < file.length; at += pieceBytes) {
		reader.add(file.subarray(at, at + pieceBytes));
	}
	return reader.isInsideBox;
}

describe('The boxes of a video', () => {
	test('tell a whole file', () => {
		expect(isCutOff(FILE)).toBe(false);
	});

	test('tell a file that lacks its last byte, or its last half', () => {
		expect(isCutOff(FILE.subarray(0, -1))).toBe(true);
		expect(isCutOff(FILE.subarray(0, FILE.length / 2))).toBe(true);
	});

	test('tell the same in whatever pieces the file comes', () => {
		const file = Buffer.concat([
			box('ftyp', 12),
			box('free', 0),
			largeBox('mdat', 50),
			box('moov', 3),
		]);
		fc.assert(
			fc.property(
				fc.integer({ min: 1, max: file.length }),
				fc.integer({ min: 1, max: file.length }),
				(keptBytes, pieceBytes) => {
					const part = file.subarray(0, keptBytes);
					expect(isCutOff(part, pieceBytes)).toBe(isCutOff(part));
				},
			),
		);
		expect(isCutOff(file)).toBe(false);
		expect(isCutOff(file, 1)).toBe(false);
		expect(isCutOff(file.subarray(0, -1), 3)).toBe(true);
	});

	test('tell it of a box that is larger than 4 GiB', () => {
		expect(isCutOff(Buffer.concat([box('ftyp', 0), largeBox('mdat', 20)]))).toBe(false);
		expect(isCutOff(Buffer.concat([box('ftyp', 0), largeBox('mdat', 20)]).subarray(0, -1))).toBe(
			true,
		);
		const huge = box('mdat', 8, 1);
		huge.writeBigUInt64BE(5n * 1024n ** 3n, 8);
		expect(isCutOff(huge)).toBe(true);
	});

	test.each([
		['the last box goes to the end', Buffer.concat([box('ftyp', 4), box('mdat', 10, 0)])],
		['something else follows them', Buffer.concat([box('ftyp', 4), Buffer.alloc(30, 0xff)])],
		['a few bytes follow them', Buffer.concat([box('ftyp', 4), Buffer.alloc(4)])],
		['a size makes no sense', Buffer.concat([box('ftyp', 4), box('mdat', 10, 5)])],
		['nothing came', Buffer.alloc(0)],
	])('do not call it cut off when %s', (_what, file) => {
		expect(isCutOff(file)).toBe(false);
		expect(isCutOff(file, 1)).toBe(false);
	});
});
