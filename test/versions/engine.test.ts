import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import manifest from 'n8n-core/package.json';

test('These tests run on the n8n that was installed for them', () => {
	const folder = process.env.VIDEO_GENERATION_ENGINE ?? '';
	const { dependencies } = JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')) as {
		dependencies: Record<string, string>;
	};
	expect(manifest.version).toBe(dependencies['n8n-core']);
});
