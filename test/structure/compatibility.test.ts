import { readFileSync } from 'node:fs';
import path from 'node:path';
import current from '../../scripts/n8n/package.json';
import oldest from '../../scripts/oldest/package.json';
import { NODE_MAJORS } from '../../scripts/requirements';
import engine from 'n8n-core/package.json';
import manifest from '../../package.json';

const readme = readFileSync(path.resolve(__dirname, '../../README.md'), 'utf8');

describe('The README', () => {
	test('names the versions of n8n and of Node.js that the tests run on', () => {
		const floor = oldest.dependencies['n8n-core'];
		const nodes = `${NODE_MAJORS.slice(0, -1).join(', ')} and ${NODE_MAJORS.at(-1)}`;
		expect(readme).toContain(
			`Works with n8n ${floor} and later; tested with n8n ${floor} and ${current.dependencies.n8n}, and loaded in Node.js ${nodes}.`,
		);
	});
});

describe('The package', () => {
	test('asks for the oldest Node.js that it is loaded in', () => {
		expect(manifest.engines.node).toBe(`>=${Math.min(...NODE_MAJORS)}.3`);
	});
});

test('The engine tests run on the n8n that the other tests install', () => {
	expect(engine.version).toBe(current.dependencies.n8n);
});
