import { execFileSync } from 'node:child_process';
import fs from 'node:fs';
import path from 'node:path';
import { collectOperations } from '../support/operations/collectOperations';
import { renderOperations, toAnchor } from '../support/operations/renderOperations';
import { isErrorDocumented } from '../support/isErrorDocumented';
import { TRIGGER_TYPE } from '../support/engine/ActiveTrigger';
import { loadPackage, PACKAGE_ROOT } from '../support/engine/loadPackage';
import { NODE_TYPE } from '../support/engine/runNode';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useSandbox } from '../support/engine/useSandbox';
import { maxTriesOption } from '../../nodes/VideoGeneration/resources/fields';
import { recordErrors } from '../support/examples/recordErrors';
import { recordOutputs } from '../support/examples/recordOutputs';

const service = useSandbox();
useBinaryStore();

const FILE = path.join(PACKAGE_ROOT, 'docs/operations.md');
const PRETTIER = path.join(PACKAGE_ROOT, 'node_modules/prettier/bin/prettier.cjs');

// The test runs the node some 40 times, which takes a while on a busy machine.
jest.setTimeout(60_000);

/** The document is written by "npm run docs" only. */
const mustWrite = process.env.WRITE_DOCUMENTS === 'true';

/** Hides the sandbox's address: its port differs each time. */
function hideAddress<T>(recorded: T): T {
	const { url } = service.sandbox;
	return JSON.parse(JSON.stringify(recorded).replaceAll(url, 'https://api.example.com')) as T;
}

async function renderDocument(): Promise<string> {
	const { nodes } = await loadPackage();
	const [node, trigger] = [nodes[NODE_TYPE], nodes[TRIGGER_TYPE]];
	if (!node || !trigger) throw new Error('The package lacks a node');
	const outputs = hideAddress(await recordOutputs(service));
	const operations = collectOperations(node.description, trigger.description, outputs);
	const text = renderOperations(operations, maxTriesOption);
	return execFileSync(process.execPath, [PRETTIER, '--stdin-filepath', FILE], {
		cwd: PACKAGE_ROOT,
		input: text,
		encoding: 'utf8',
	});
}

test('docs/operations.md says what the nodes say and do now; if not, "npm run docs" writes it anew', async () => {
	const document = await renderDocument();
	if (mustWrite) fs.writeFileSync(FILE, document);
	expect(fs.readFileSync(FILE, 'utf8')).toBe(document);
});

test('docs/errors.md lists every error that the operations run into', async () => {
	const messages = await recordErrors(service);
	expect(messages.filter((message) => !isErrorDocumented(message))).toEqual([]);
});

test('every link to a part of docs/operations.md finds it', () => {
	const read = (file: string) => fs.readFileSync(path.join(PACKAGE_ROOT, file), 'utf8');
	const anchors = [...read('docs/operations.md').matchAll(/^#+ (.+)$/gm)].map(([, title = '']) =>
		toAnchor(title),
	);
	const links = [
		...read('docs/operations.md').matchAll(/\]\(#([\w-]+)\)/g),
		...read('README.md').matchAll(/\]\(docs\/operations\.md#([\w-]+)\)/g),
	].map(([, anchor]) => anchor);
	expect(links.length).toBeGreaterThan(16);
	expect(anchors).toEqual(expect.arrayContaining(links));
});
