import fs from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { getPasswordFile, provideOwner } from '../../../scripts/n8n/owner';

const folder = fs.mkdtempSync(join(tmpdir(), 'owner-'));
afterAll(() => {
	fs.rmSync(folder, { recursive: true, force: true });
});

test('Each local n8n has a password of its own that n8n accepts, which its next start uses again', () => {
	const [first, second] = [join(folder, 'first'), join(folder, 'second')];
	const { password } = provideOwner(first);
	expect(provideOwner(first).password).toBe(password);
	expect(provideOwner(second).password).not.toBe(password);
	expect(password).toMatch(/^(?=.*\d)(?=.*[A-Z]).{20,64}$/);
});

test('Only the user who has started n8n can read its password', () => {
	const userFolder = join(folder, 'third');
	provideOwner(userFolder);
	const isWindows = process.platform === 'win32';
	expect(fs.statSync(getPasswordFile(userFolder)).mode & 0o777).toBe(isWindows ? 0o666 : 0o600);
});
