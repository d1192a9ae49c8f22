import { PollContext } from 'n8n-core';
import manifest from 'n8n-core/package.json';
import oldest from '../../scripts/oldest/package.json';

describe('The oldest n8n that is supported', () => {
	test('is what these tests run on', () => {
		expect(manifest.version).toBe(oldest.dependencies['n8n-core']);
	});

	test('tells no poll how long it may take, so nothing that could be tested is skipped', () => {
		expect(PollContext.prototype).not.toHaveProperty('getPollBudgetMs');
	});
});
