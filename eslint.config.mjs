import { n8nCommunityNodesPlugin } from '@n8n/eslint-plugin-community-nodes';
import n8nNodesBase from 'eslint-plugin-n8n-nodes-base';
import * as regexp from 'eslint-plugin-regexp';
import ts from 'typescript';
import tseslint from 'typescript-eslint';

/** The package's own code, which n8n's verification scan reads and checks with these rules. */
const published = {
	ignores: ['dist/**'],
	files: ['{nodes,credentials}/**/*.ts', 'package.json'],
};

/**
 * Reports what `tsc` would report: the rules that need types have loaded and checked all code already,
 * and that takes half a minute.
 */
const compiler = {
	create: (context) => ({
		Program() {
			const { program } = context.sourceCode.parserServices;
			const found = ts.getPreEmitDiagnostics(program, program.getSourceFile(context.filename));
			for (const { start = 0, code, messageText } of found) {
				const message = `TS${code}: ${ts.flattenDiagnosticMessageText(messageText, ' ')}`;
				context.report({ loc: context.sourceCode.getLocFromIndex(start), message });
			}
		},
	}),
};

/** What n8n's engine keeps of executions, and how. */
const NAMES =
	'addExecutionHints|additionalData|checkProcessed\\w*|customData|establishedAt|executionTimeout\\w*|getContext|getExecuteData|getExecutionContext|getExecutionDataById|instanceSettings|isConsoleOutputRedacted|redactedHeaders|removeProcessed|rewireOutputLogTo|setMetadata';
const INTERNALS = `:matches(Identifier[name=/^(${NAMES})$/], Literal[value=/^(${NAMES})$/])`;
const ONE_DOOR = 'Only nodes/VideoGeneration/n8n/ knows how n8n runs and remembers an execution.';

export default tseslint.config(
	{ ignores: ['dist/', 'coverage/', '.n8n-local/', 'node_modules/'] },
	{ linterOptions: { noInlineConfig: true, reportUnusedDisableDirectives: 'error' } },

	{ ...published, extends: [n8nCommunityNodesPlugin.configs.recommended] },
	{ ...published, rules: { 'no-console': 'error' } },
	{ plugins: { 'n8n-nodes-base': n8nNodesBase } },
	{
		files: ['package.json'],
		languageOptions: { parser: tseslint.parser },
		rules: { ...n8nNodesBase.configs.community.rules },
	},
	{
		files: ['credentials/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.credentials.rules,
			// The verification scan turns these two off: they apply only to nodes inside n8n.
			'n8n-nodes-base/cred-class-field-documentation-url-miscased': 'off',
			'n8n-nodes-base/cred-class-field-type-options-password-missing': 'off',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		rules: {
			...n8nNodesBase.configs.nodes.rules,
			// The verification scan turns these off too: connection types are an enum, and an API may
			// have a maximum.
			'n8n-nodes-base/node-class-description-inputs-wrong-regular-node': 'off',
			'n8n-nodes-base/node-class-description-outputs-wrong': 'off',
			'n8n-nodes-base/node-param-type-options-max-value-present': 'off',
		},
	},

	{
		files: ['**/*.{ts,mts}'],
		extends: [tseslint.configs.strictTypeChecked, tseslint.configs.stylisticTypeChecked],
		languageOptions: {
			parserOptions: { project: './tsconfig.json', tsconfigRootDir: import.meta.dirname },
		},
		plugins: { types: { rules: { compiler } } },
		rules: {
			'types/compiler': 'error',
			eqeqeq: 'error',
			'max-lines-per-function': ['error', { max: 60, skipBlankLines: true, skipComments: true }],
			'@typescript-eslint/consistent-type-imports': 'error',
			'@typescript-eslint/restrict-template-expressions': ['error', { allowNumber: true }],
		},
	},
	{
		// No text of a service takes more than milliseconds, whatever it is.
		files: ['{nodes,credentials}/**/*.ts'],
		plugins: { regexp },
		rules: {
			'regexp/no-super-linear-backtracking': ['error', { report: 'potential' }],
			'regexp/no-super-linear-move': ['error', { report: 'potential' }],
			'regexp/no-dupe-disjunctions': 'error',
		},
	},
	{
		files: ['nodes/**/*.ts'],
		ignores: ['nodes/VideoGeneration/n8n/**'],
		rules: { 'no-restricted-syntax': ['error', { selector: INTERNALS, message: ONE_DOOR }] },
	},
	{
		// A test's describe block is one long function, and assertions name methods without calling
		// them.
		files: ['test/**/*.ts'],
		rules: { 'max-lines-per-function': 'off', '@typescript-eslint/unbound-method': 'off' },
	},
	{
		files: ['**/*.{js,mjs}'],
		rules: { eqeqeq: 'error', 'no-undef': 'off', 'no-unused-vars': 'error' },
	},
);
