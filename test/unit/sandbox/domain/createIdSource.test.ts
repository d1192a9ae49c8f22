import { createIdSource } from '../../../../sandbox/domain/store';

const take = (seed: number, count: number): string[] => {
	const createId = createIdSource(seed);
	return Array.from({ length: count }, () => createId());
};

it('ids are UUIDs that never repeat', () => {
	const ids = take(1, 5000);
	expect(new Set(ids).size).toBe(5000);
	for (const id of ids) {
		expect(id).toMatch(/^[0-9a-f]{8}-[0-9a-f]{4}-4[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$/);
	}
});
it('the same seed gives the same ids, another seed gives others', () => {
	expect(take(7, 3)).toEqual(take(7, 3));
	expect(take(7, 3)).not.toEqual(take(8, 3));
});
