/** The login of the local n8n. No secret: it listens on this machine only and guards nothing. */
export const OWNER = {
	email: 'demo@example.com',
	password: 'LocalDemo1',
	firstName: 'Demo',
	lastName: 'Owner',
};
