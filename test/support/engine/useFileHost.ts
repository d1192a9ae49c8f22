import http from 'node:http';
import type { AddressInfo } from 'node:net';

/** Starts a host other than the video service: a bare HTTP server that answers as each test says. */
export function useFileHost() {
	/** The requests that were received in this test. */
	const requests: http.IncomingMessage[] = [];
	const notFound: http.RequestListener = (_request, response) => {
		response.writeHead(404).end();
	};
	let answer = notFound;
	const server = http.createServer((request, response) => {
		requests.push(request);
		answer(request, response);
	});
	beforeAll(async () => {
		await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
	});
	beforeEach(() => {
		requests.length = 0;
		answer = notFound;
	});
	afterAll(async () => {
		server.closeAllConnections();
		await new Promise((resolve) => server.close(resolve));
	});
	return {
		get url() {
			return `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
		},
		requests,
		/** Sets the response from now on, until the test is over. */
		answer: (listener: http.RequestListener) => {
			answer = listener;
		},
	};
}
