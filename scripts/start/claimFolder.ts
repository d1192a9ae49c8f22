import { createHash } from 'node:crypto';
import { rm } from 'node:fs/promises';
import { connect, createServer, type Server } from 'node:net';
import { join, relative } from 'node:path';
import { ReadableError } from '../ReadableError';

/**
 * Holds a folder for this process alone until it ends, however it ends: the claim is a socket, which
 * the system closes with the process. A second claim is refused with a message for the user.
 */
export async function claimFolder(folder: string): Promise<Server> {
	const path = nameSocket(folder);
	for (const isLastTry of [false, true]) {
		const server = await listen(path);
		if (server) return server;
		if (isLastTry || (await answers(path))) break;
		// Its owner is gone without having been able to remove it.
		await rm(path, { force: true });
	}
	throw new ReadableError(
		`"npm start" already runs in this project: it uses ${relative(process.cwd(), folder)}. End that one first.`,
	);
}

/** Relative to the working folder, for the path of a socket may not be longer than 100 characters. */
function nameSocket(folder: string): string {
	if (process.platform !== 'win32') return join(relative(process.cwd(), folder), 'claim.sock');
	return `\\\\.\\pipe\\${createHash('sha256').update(folder).digest('hex')}`;
}

async function listen(path: string): Promise<Server | undefined> {
	return await new Promise((resolve, reject) => {
		const server = createServer((socket) => socket.destroy());
		server.once('error', (error: NodeJS.ErrnoException) => {
			if (error.code === 'EADDRINUSE') resolve(undefined);
			else reject(error);
		});
		server.listen(path, () => {
			// The claim alone keeps nothing running.
			server.unref();
			resolve(server);
		});
	});
}

async function answers(path: string): Promise<boolean> {
	return await new Promise((resolve) => {
		const socket = connect(path);
		socket.once('connect', () => {
			socket.destroy();
			resolve(true);
		});
		socket.once('error', () => {
			resolve(false);
		});
	});
}
