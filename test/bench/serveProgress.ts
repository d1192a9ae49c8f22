import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';

/**
 * A service that costs as little as possible: all progress requests get the same response. The
 * sandbox would take most of the measured time.
 */
const answer = JSON.stringify({
	status: 'success',
	message: 'Progress retrieved',
	details: {
		status: 'pending',
		progress: 40,
		createdAt: '2026-11-01T08:00:00.000Z',
		updatedAt: '2026-11-01T08:00:30.000Z',
	},
});

const server = createServer({ keepAliveTimeout: 60_000 }, (request, response) => {
	const isKnown = request.headers.authorization === 'Bearer key-of-the-benchmark';
	response.writeHead(isKnown ? 200 : 401, { 'Content-Type': 'application/json' });
	response.end(answer);
});

server.listen(0, '127.0.0.1', () => {
	const { port } = server.address() as AddressInfo;
	process.send?.({ baseUrl: `http://127.0.0.1:${port}`, apiKey: 'key-of-the-benchmark' });
});
process.once('disconnect', () => process.exit());
