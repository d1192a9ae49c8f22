import { parseFlatted } from '../../../scripts/n8n/parseFlatted';

describe("reading the form of n8n's execution data", () => {
	it('resolves places into values of every kind, nested', () => {
		const text = '[{"a":"1","n":5,"t":true,"z":null},["2","3"],{"s":"3"},"word"]';
		expect(parseFlatted(text)).toEqual({ a: [{ s: 'word' }, 'word'], n: 5, t: true, z: null });
	});

	it('keeps a text that looks like a place a text', () => {
		expect(parseFlatted('[{"id":"1"},"2","never"]')).toEqual({ id: '2' });
	});

	it('resolves values that point to each other', () => {
		const value = parseFlatted('[{"child":"1"},{"parent":"0"}]') as {
			child: { parent: unknown };
		};
		expect(value.child.parent).toBe(value);
	});

	it('reads a single value', () => {
		expect(parseFlatted('["word"]')).toBe('word');
	});
});
