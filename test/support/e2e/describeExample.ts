import { readdirSync, readFileSync } from 'node:fs';
import { basename, join } from 'node:path';
import type { INodeTypeDescription } from 'n8n-workflow';
import { PACKAGE } from './PLACES';
import { readProvided } from './provided';
import { readExample } from './setUpExample';

/** The packages of n8n's own nodes, and the prefixes of their types. */
const NODE_PACKAGES = ['n8n-nodes-base', '@n8n/n8n-nodes-langchain'];

/** The folder with all packages of the n8n that the tests run in. */
const getPackages = () => join(readProvided().n8n, '../../..');

/** Returns the names of all examples. */
export function listExamples(): string[] {
	const files = readdirSync('examples').filter((file) => file.endsWith('.json'));
	return files.map((file) => basename(file, '.json')).sort();
}

/** Returns the type from which n8n makes a tool or a review; another type is its own. */
export function getSourceType(type: string): string {
	return type.replace(/(Hitl)?Tool$/, '');
}

/** Returns the nodes of an example whose type or version is missing in the n8n that the tests run in. */
export function findMissingNodes(example: string): string[] {
	const known = readKnownNodes();
	const needed = readExample(example)
		.nodes.filter(({ type }) => !type.startsWith(`${PACKAGE}.`))
		.map(({ type, typeVersion }) => `${getSourceType(type)} ${typeVersion}`);
	return [...new Set(needed)].filter((node) => !known.has(node));
}

/** Tests of an example, which are skipped in an n8n without all of its nodes: the title names those. */
export function describeExample(example: string, title: string, tests: () => void): void {
	const missing = findMissingNodes(example);
	if (missing.length === 0) describe(title, tests);
	else describe.skip(`${title} (skipped: no ${missing.join(', ')})`, tests);
}

let knownNodes: Set<string> | undefined;

/** Reads the descriptions of n8n's own nodes, which n8n itself takes from the same files. */
function readKnownNodes(): Set<string> {
	knownNodes ??= new Set(
		NODE_PACKAGES.flatMap((name) => {
			const file = join(getPackages(), name, 'dist', 'types', 'nodes.json');
			const types = JSON.parse(readFileSync(file, 'utf8')) as INodeTypeDescription[];
			return types.flatMap((type) =>
				[type.version].flat().map((version) => `${name}.${type.name} ${version}`),
			);
		}),
	);
	return knownNodes;
}
