import { OPERATIONS } from '../support/engine/OPERATIONS';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
/** `test/unit/response.test.ts` has the rule for every text. */
const VALUES = ['../clear', '..', '%2e%2e', 'a\r\nX-Injected: 1', 'x'.repeat(10_240), ' q1 ', ''];

describe('A queue ID', () => {
	test.each(VALUES)(
		'of %j is exactly one segment of the path, or fails before the request',
		async (queueId) => {
			const { error } = await service.run(OPERATIONS['queue.getProgress'], {
				items: [{ queueId }],
			});
			const { requests } = service.sandbox;
			if (requests.length === 0) {
				expect(error?.message).toMatch(/^'Queue ID' is (empty|not the ID of a queue item)$/);
				return;
			}
			expect(requests).toHaveLength(1);
			const [, ...segments] = requests[0]?.url.split('/') ?? [];
			expect(segments.slice(0, 3)).toEqual(['v1', 'queue', 'progress']);
			expect(segments).toHaveLength(4);
			expect(segments[3]).not.toMatch(/[?#\s]/);
			expect(decodeURIComponent(segments[3] ?? '')).toBe(queueId.trim());
			expect(requests[0]?.headers).not.toHaveProperty('x-injected');
			expect(['400', '404', '414', '431']).toContain(error?.httpCode);
		},
	);

	test.each(VALUES)(
		'of %j stands in the body of a clear as it is, or fails before the request',
		async (queueId) => {
			const { error } = await service.run(OPERATIONS['queue.clear'], { items: [{ queueId }] });
			const { requests } = service.sandbox;
			if (queueId.trim() === '') {
				expect(error?.message).toBe("'Queue ID' is empty");
				expect(requests).toHaveLength(0);
				return;
			}
			expect(requests).toMatchObject([{ url: '/v1/queue/clear' }]);
			expect(error).toBeDefined();
		},
	);

	test('that is a number is taken as text', async () => {
		await service.run(OPERATIONS['queue.getProgress'], { items: [{ queueId: 42 }] });
		expect(service.sandbox.requests[0]?.url).toBe('/v1/queue/progress/42');
	});
});
