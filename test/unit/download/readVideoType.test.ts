import {
	nameOtherType,
	readVideoType,
} from '../../../nodes/VideoGeneration/download/readVideoType';
import { readVideoFile } from '../../../sandbox/files/readVideoFile';

const bytes = (text: string) => Buffer.from(text, 'latin1');
const MP4 = readVideoFile('city-tour').subarray(0, 512);
const TRANSPORT_STREAM = bytes(`G${'\0'.repeat(187)}G${'\0'.repeat(187)}`);

describe('A file', () => {
	test('that is empty is no video, whatever it says', () => {
		expect(readVideoType('video/mp4', Buffer.alloc(0))).toBeUndefined();
	});

	test.each([
		['an MP4 without a type', undefined, MP4, 'video/mp4'],
		['an MP4 of an unknown type', 'application/octet-stream', MP4, 'video/mp4'],
		['an MP4 under a wrong type', 'text/html', MP4, 'video/mp4'],
		['an MP4 under its own type', 'VIDEO/MP4; charset=binary', MP4, 'video/mp4'],
		['an MP4 as another video', 'video/x-m4v', MP4, 'video/x-m4v'],
		['QuickTime', '', bytes('\0\0\0\x14ftypqt  \0\0'), 'video/quicktime'],
		['old QuickTime', '', bytes('\0\0\0\x08wide\0\0'), 'video/quicktime'],
		['WebM', '', bytes('\x1a\x45\xdf\xa3\x9fB\x86\x81\x01webm'), 'video/webm'],
		['Matroska', '', bytes('\x1a\x45\xdf\xa3\x9fB\x86\x81\x01matroska'), 'video/x-matroska'],
		['AVI', '', bytes('RIFF\x01\x02\x03\x04AVI LIST'), 'video/x-msvideo'],
		['Flash', '', bytes('FLV\x01\x05'), 'video/x-flv'],
		['MPEG', '', bytes('\0\0\x01\xba!'), 'video/mpeg'],
		['a transport stream', '', TRANSPORT_STREAM, 'video/mp2t'],
		['Windows Media', '', bytes('\x30\x26\xb2\x75\x8e\x66\xcf\x11'), 'video/x-ms-wmv'],
		['what only its type tells', 'video/ogg', bytes('OggS\0'), 'video/ogg'],
	])('is a video: %s', (_what, contentType, head, mimeType) => {
		expect(readVideoType(contentType, head)).toBe(mimeType);
	});

	test.each([
		['a web page', 'text/html; charset=utf-8', bytes('<!doctype html>'), 'html'],
		['a web page that says it is a video', 'video/mp4', bytes('\n <html>'), 'html'],
		['a page with a byte order mark', 'video/mp4', bytes('\xef\xbb\xbf<html>'), 'html'],
		['a page without a type', undefined, bytes('<Error><Code>NoSuchKey'), 'html'],
		['an error that says it is a video', 'video/mp4', bytes('{"error":"gone"}'), 'text'],
		['JSON', 'application/json', bytes('{"error":"gone"}'), 'application/json'],
		['text', 'text/plain', bytes('Not found'), 'text/plain'],
		['a picture', 'image/png', bytes('\x89PNG\r\n\x1a\n'), 'image/png'],
		['a picture in the same container', '', bytes('\0\0\0\x1cftypavif'), ''],
		['sound in the same container', 'audio/mp4', bytes('\0\0\0\x1cftypM4A \0'), 'audio/mp4'],
		['other sound', 'audio/x-wav', bytes('RIFF\x01\x02\x03\x04WAVE'), 'audio/x-wav'],
		['bytes of no type', 'x"y<script>', bytes('\x01\x02'), ''],
	])('is no video: %s', (_what, contentType, head, other) => {
		expect(readVideoType(contentType, head)).toBeUndefined();
		expect(nameOtherType(contentType, head)).toBe(other);
	});
});
