import { fetchVideoLog } from '../../../nodes/VideoGeneration/api/endpoints';
import type { Service } from '../../../nodes/VideoGeneration/api/request';

/** A service that answers a list of videos with these entries. */
function createService(videos: unknown[]): Service {
	const answer = { statusCode: 200, headers: {}, body: { status: 'success', videos } };
	const context = {
		helpers: { httpRequestWithAuthentication: async () => Promise.resolve(answer) },
	};
	return { context, baseUrl: '', keyId: 1, hide: String } as unknown as Service;
}

const fetch = async (videos: unknown[], isOld?: (createdAt: unknown) => boolean) =>
	await fetchVideoLog(createService(videos), { maxTries: 1 }, { isOld });

const nest = (depth: number): unknown => (depth === 0 ? 'inside' : { in: nest(depth - 1) });

describe('The list of videos', () => {
	test('holds objects alone', async () => {
		const { entries } = await fetch([null, 5, 'text', [], [{ id: 'a' }], { id: 'b' }, {}]);
		expect(entries).toEqual([{ id: 'b' }, {}]);
	});

	test('is without what is too old, which it counts, and without the rest that is no object', async () => {
		const old = { id: 'old', createdAt: 'old' };
		const { entries, oldCount } = await fetch(
			[old, { id: 'new' }, null, old],
			(each) => each === 'old',
		);
		expect({ entries, oldCount }).toEqual({ entries: [{ id: 'new' }], oldCount: 2 });
	});

	test.each([
		[undefined, 'a', 'a'],
		['', 'a', 'a'],
		['b', 'a', 'b'],
		[null, {}, null],
	])('with the url %j and the videoUrl %j has the url %j', async (url, videoUrl, expected) => {
		expect((await fetch([{ url, videoUrl }])).entries).toEqual([{ url: expected, videoUrl }]);
	});

	test('has nothing that is nested by hundreds of levels, and all beside it', async () => {
		const { entries } = await fetch([{ id: 'a', deep: nest(500), flat: nest(20) }]);
		expect(entries).toMatchObject([{ id: 'a', flat: nest(20) }]);
		expect(JSON.stringify(entries)).not.toContain('inside"}}}}}}}}}}}}}}}}}}}}}}');
	});
});
