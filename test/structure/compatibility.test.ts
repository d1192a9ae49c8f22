import { readdirSync, readFileSync } from 'node:fs';
import path from 'node:path';
import current from '../../scripts/n8n/package.json';
import { NODE_MAJORS, OLDEST_N8N } from '../../scripts/requirements';
import engine from 'n8n-core/package.json';
import manifest from '../../package.json';
import { listMissingFeatures } from '../support/engine/testWith';

const VERSIONS = readdirSync(path.resolve(__dirname, '../../scripts/versions')).sort((a, b) =>
	a.localeCompare(b, 'en', { numeric: true }),
);
const readme = readFileSync(path.resolve(__dirname, '../../README.md'), 'utf8');

describe('The README', () => {
	test('names the versions of n8n and of Node.js that the tests run on', () => {
		const [floor = '', ...others] = VERSIONS;
		const list = (words: (string | number)[]) =>
			`${words.slice(0, -1).join(', ')} and ${words.at(-1)}`;
		const versions = list([floor, ...others, current.dependencies.n8n]);
		expect(floor).toBe(OLDEST_N8N);
		expect(readme.replace(/\s+/g, ' ')).toContain(
			`Works with n8n ${floor} and later; tested with n8n ${versions}, and loaded in Node.js ${list(NODE_MAJORS)}.`,
		);
	});
});

test('Every version is tested once a week', () => {
	const file = path.resolve(__dirname, '../../.github/workflows/versions.yml');
	const tested = [...readFileSync(file, 'utf8').matchAll(/test:engine -- (.+)/g)];
	expect(tested.map(([, version]) => version)).toEqual(VERSIONS);
});

describe('The package', () => {
	test('asks for the Node.js that the commands need: knip needs the newest', () => {
		const file = path.resolve(__dirname, '../../node_modules/knip/package.json');
		const knip = JSON.parse(readFileSync(file, 'utf8')) as typeof manifest;
		expect(manifest.engines).toEqual(knip.engines);
		expect(manifest.engines.node).toMatch(`^${Math.min(...NODE_MAJORS)}.19`);
		expect(readme).toContain(`Node.js ${Math.min(...NODE_MAJORS)}.19 or later`);
	});
});

test('No engine test is left out in the newest n8n', () => {
	expect(listMissingFeatures()).toEqual([]);
});

test('The engine tests run on the n8n that the other tests install', () => {
	expect(engine.version).toBe(current.dependencies.n8n);
});
