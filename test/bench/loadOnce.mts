import { createRequire } from 'node:module';
import { basename, join } from 'node:path';

/**
 * Prints how many milliseconds it takes to load the nodes and credentials of a package as n8n does, which has
 * loaded n8n-workflow by then. Argument: the folder of the package.
 */
const folder = process.argv[2] ?? '';
const require = createRequire(join(folder, 'package.json'));
require('n8n-workflow');
const { n8n } = require('./package.json') as {
	n8n: { nodes: string[]; credentials: string[] };
};
const startedAt = performance.now();
for (const file of [...n8n.nodes, ...n8n.credentials]) {
	const [className = ''] = basename(file).split('.');
	const classes = require(join(folder, file)) as Record<string, new () => unknown>;
	const Class = classes[className];
	if (!Class) throw new Error(`${file} has no class ${className}`);
	new Class();
}
console.log(performance.now() - startedAt);
