/** Programs that the tests in a real n8n need beside n8n, and where Debian has them. */
export const PROGRAMS = {
	chromium: {
		debianPackage: 'chromium',
		needs: 'a Chromium browser in the path',
	},
	'redis-server': {
		debianPackage: 'redis-server',
		needs: 'Redis (redis-server) in the path',
	},
	postgres: {
		debianPackage: 'postgresql',
		needs: 'PostgreSQL (postgres, initdb) in the path',
	},
} as const;

export type Program = keyof typeof PROGRAMS;
