import { describeWith } from '../support/e2e/describeWith';
import { expectLabels } from '../support/e2e/expectLabels';
import { useEditor } from '../support/e2e/useEditor';
import { useRealN8n } from '../support/e2e/useRealN8n';

const TYPE = 'Video Generation API';
/** An address without a server. */
const WRONG_ADDRESS = 'http://127.0.0.1:9';

describeWith(['chromium'], "In n8n's editor, the credential", () => {
	const real = useRealN8n('browser-credential');
	const visit = useEditor('browser-credential', real);

	test(
		'marks what is required, hides the key, and is tested as it is saved',
		visit(async (editor) => {
			await editor.newCredential(TYPE);
			const form = editor.credentialForm;
			await expectLabels(form, [
				'API Key *',
				'Base URL *',
				// n8n adds this field to every credential.
				'Allowed HTTP Request Domains',
			]);
			expect(await form.field('apiKey').getAttribute('type')).toBe('password');
			expect(await form.field('baseUrl').getAttribute('placeholder')).toBe(
				'e.g. https://api.example.com',
			);
			await form.field('apiKey').fill(real.sandbox.apiKey);
			await form.field('baseUrl').fill(` ${real.sandbox.url}/v1/ `);
			expect(await form.saveAndTest()).toBe('Connection tested successfully');
			expect(real.sandbox.requests.map(({ operation }) => operation)).toEqual(['account.get']);
		}),
	);

	test(
		'does not show the key again once it is saved',
		visit(async (editor) => {
			await editor.openCredential(real.credential.id);
			const key = await editor.credentialForm.field('apiKey').inputValue();
			expect(key).not.toBe('');
			expect(await editor.page.content()).not.toContain(real.sandbox.apiKey);
			expect(key).not.toContain(real.sandbox.apiKey);
		}),
	);

	test.each([
		[
			'the key is wrong',
			() => ({ apiKey: 'not-the-key', baseUrl: real.sandbox.url }),
			'The service does not accept this key. Copy it again from the developers page of your account.',
		],
		[
			'nothing answers at the address',
			() => ({ apiKey: real.sandbox.apiKey, baseUrl: WRONG_ADDRESS }),
			expect.stringContaining('ECONNREFUSED') as string,
		],
	])('says what is wrong when %s', async (_title, give, reason) => {
		await visit(async (editor) => {
			await editor.newCredential(TYPE);
			const form = editor.credentialForm;
			const { apiKey, baseUrl } = give();
			await form.field('apiKey').fill(apiKey);
			await form.field('baseUrl').fill(baseUrl);
			expect(await form.saveAndTest()).toEqual(reason);
		})();
	});
});
