import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import current from '../../scripts/n8n/package.json';
import { NODE_MAJORS, OLDEST_N8N } from '../../scripts/requirements';
import engine from 'n8n-core/package.json';
import manifest from '../../package.json';
import { listMissingFeatures } from '../support/engine/testWith';

const ROOT = path.resolve(__dirname, '../..');
const read = (file: string) => readFileSync(path.join(ROOT, file), 'utf8');
const VERSIONS = readdirSync(path.join(ROOT, 'scripts/versions')).sort((a, b) =>
	a.localeCompare(b, 'en', { numeric: true }),
);

test('The README names the versions of n8n and of Node.js that the tests run on', () => {
	const list = (words: (string | number)[]) =>
		`${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
	const versions = list([...VERSIONS, current.dependencies.n8n]);
	expect(VERSIONS[0]).toBe(OLDEST_N8N);
	expect(read('README.md').replace(/\s+/g, ' ')).toContain(
		`Works with n8n ${OLDEST_N8N} and later; tested with n8n ${versions}, and loaded in Node.js ${list(NODE_MAJORS)}.`,
	);
});

test('Every version is tested once a week', () => {
	const tested = [...read('.github/workflows/versions.yml').matchAll(/test:engine -- (.+)/g)];
	expect(tested.map(([, version]) => version)).toEqual(VERSIONS);
});

test('The package asks for the Node.js that the commands need: knip needs the newest', () => {
	const knip = JSON.parse(read('node_modules/knip/package.json')) as typeof manifest;
	const oldest = `${Math.min(...NODE_MAJORS)}.19`;
	expect(manifest.engines).toEqual(knip.engines);
	expect(manifest.engines.node).toMatch(`^${oldest}`);
	expect(read('README.md')).toContain(`Node.js ${oldest} or later`);
});

test('No engine test is left out in the newest n8n, which the other tests install as well', () => {
	expect(listMissingFeatures()).toEqual([]);
	expect(engine.version).toBe(current.dependencies.n8n);
});
