import { createVideoKey } from '../../../nodes/VideoGeneration/trigger/createVideoKey';

const LOG = {
	url: 'https://files.example.com/a.mp4?signature=1',
	projectId: 'p',
	createdAt: '2026-01-15T12:00:00.000Z',
};

describe('What tells one log from another', () => {
	test('is the ID alone, whatever else changes', () => {
		const key = createVideoKey({ ...LOG, id: 'a' });
		expect(createVideoKey({ id: 'a' })).toBe(key);
		expect(createVideoKey({ ...LOG, id: 'b' })).not.toBe(key);
		expect(createVideoKey({ ...LOG, id: ' a' })).not.toBe(key);
	});

	test('is the same for a number and its digits', () => {
		expect(createVideoKey({ id: 7 })).toBe(createVideoKey({ id: '7' }));
	});

	test.each([undefined, null, '', {}, [], true])(
		'is address, project and date when the ID is %j',
		(id) => {
			const key = createVideoKey({ ...LOG, id });
			expect(key).toBe(createVideoKey(LOG));
			expect(key).not.toBe(createVideoKey({ ...LOG, url: 'https://files.example.com/b.mp4' }));
			expect(key).not.toBe(createVideoKey({ ...LOG, projectId: 'q' }));
			expect(key).not.toBe(createVideoKey({ ...LOG, createdAt: '2026-01-15T12:00:01.000Z' }));
		},
	);

	test('is the same when only the signature in the address has changed', () => {
		const url = LOG.url.replace('signature=1', 'signature=2');
		expect(createVideoKey({ ...LOG, url })).toBe(createVideoKey(LOG));
	});

	test('is nothing for a log that has nothing', () => {
		expect(createVideoKey({})).toBeUndefined();
		expect(createVideoKey({ id: null, url: 5 })).toBeUndefined();
	});
});
