import { randomBytes } from 'node:crypto';
import { existsSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';

/** The account with which a person, a script or a test logs in to a local n8n. */
export interface Owner {
	email: string;
	password: string;
	firstName: string;
	lastName: string;
}

/** Returns the file that keeps the owner's password. */
export function getPasswordFile(userFolder: string): string {
	return join(userFolder, 'password');
}

/**
 * Returns the owner of the n8n of a folder, whose password is made on the first call. It is random, since an open
 * web page can reach an n8n that listens on loopback alone, and only this user can read its file.
 */
export function provideOwner(userFolder: string): Owner {
	const file = getPasswordFile(userFolder);
	if (!existsSync(file)) {
		mkdirSync(userFolder, { recursive: true });
		// n8n requires a digit and an upper-case letter.
		const password = `N8n-${randomBytes(12).toString('base64url')}`;
		writeFileSync(file, `${password}\n`, { mode: 0o600 });
	}
	const password = readFileSync(file, 'utf8').trim();
	return { email: 'demo@example.com', password, firstName: 'Demo', lastName: 'Owner' };
}
