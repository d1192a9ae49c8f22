import fs from 'node:fs';
import path from 'node:path';
import { analyse } from 'scslre';
import ts from 'typescript';

const ROOT = path.resolve(__dirname, '../..');

/** Every TypeScript file of the package, relative to the project. */
const FILES = ['nodes', 'credentials'].flatMap((folder) =>
	fs
		.readdirSync(path.join(ROOT, folder), { recursive: true, encoding: 'utf8' })
		.filter((file) => file.endsWith('.ts'))
		.map((file) => path.join(folder, file)),
);

/** Patterns that are built at run time, which only tests of their own can judge. */
const BUILT_AT_RUN_TIME = ['nodes/VideoGeneration/api/hideKey.ts'];

function findNodes<T extends ts.Node>(file: string, is: (node: ts.Node) => node is T): T[] {
	const text = fs.readFileSync(path.join(ROOT, file), 'utf8');
	const source = ts.createSourceFile(file, text, ts.ScriptTarget.Latest, true);
	const found: T[] = [];
	const visit = (node: ts.Node): void => {
		if (is(node)) found.push(node);
		ts.forEachChild(node, visit);
	};
	visit(source);
	return found;
}

const isPattern = (node: ts.Node): node is ts.RegularExpressionLiteral =>
	ts.isRegularExpressionLiteral(node);
const isBuilt = (node: ts.Node): node is ts.NewExpression =>
	ts.isNewExpression(node) && node.expression.getText() === 'RegExp';

function parsePattern(literal: string): RegExp {
	const [, source = '', flags = ''] = /^\/(.*)\/(\w*)$/s.exec(literal) ?? [];
	return new RegExp(source, flags);
}

/** Whether the time that a pattern takes can grow faster than the text that it searches. */
function isSlow(pattern: RegExp): boolean {
	return analyse(pattern).reports.length > 0 || createTexts(pattern).some(takesLong(pattern));
}

/** A pattern that takes longer and longer shows with the shorter text, or takes seconds for the longer. */
const LENGTHS = [27, 50_000];
const MAX_CPU_MS = 200;
const COMMON = Array.from(' \t\na0A./-_<>%&#;"\\[{(:,?=+');

/** Long texts of what a pattern looks for, again and again, and an end that does not match. */
function createTexts({ source }: RegExp): string[] {
	const words = source.match(/[\w&#%</:.-]{2,}/g) ?? [];
	const units = [...new Set([...COMMON, ...Array.from(source), ...words])];
	return LENGTHS.flatMap((length) =>
		units.map((unit) => `${unit.repeat(Math.ceil(length / unit.length))}\n!`),
	);
}

function takesLong(pattern: RegExp): (text: string) => boolean {
	return (text) => {
		const before = process.cpuUsage();
		text.replace(pattern, '');
		const { user } = process.cpuUsage(before);
		return user / 1000 > MAX_CPU_MS;
	};
}

const PATTERNS = FILES.flatMap((file) =>
	findNodes(file, isPattern).map((node): [string, string] => [
		node.getText(),
		file.split(path.sep).join('/'),
	]),
);

describe('A pattern of the package', () => {
	test.each(PATTERNS)('takes a time in proportion to the text: %s in %s', (literal) => {
		expect(isSlow(parsePattern(literal))).toBe(false);
	});

	test('is a literal, apart from those that are tested on their own', () => {
		const files = FILES.filter((file) => findNodes(file, isBuilt).length > 0);
		expect(files.map((file) => file.split(path.sep).join('/'))).toEqual(BUILT_AT_RUN_TIME);
	});
});

describe('The analysis', () => {
	test.each([/<[^>]*>/g, /\/+$/, /^[\s.]+|[\s.]+$/g, /^(a+)+$/, /^(a|a)*$/, /a.*b.*c.*d/])(
		'finds that %s takes longer and longer',
		(pattern) => {
			expect(isSlow(pattern)).toBe(true);
		},
	);

	test('finds the patterns of the package', () => {
		expect(PATTERNS.length).toBeGreaterThan(30);
	});
});
