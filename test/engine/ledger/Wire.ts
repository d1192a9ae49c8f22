import { ClientRequest } from 'node:http';
import type { Socket } from 'node:net';
import { getSystemErrorMap } from 'node:util';
import type { Operation } from '../../../sandbox/domain/model';
import { N8nProcess } from './N8nProcess';
import type { SocketError, SocketTrouble } from './Story';

/** The header with which the harness marks its own requests, which are no part of the workflow's. */
export const OWN_REQUEST = { 'user-agent': 'another client' };

/** A request that this process began, whether or not it reached the service. */
export interface BegunRequest {
	operation: Operation;
	url: string;
	authorization: string;
	/** The body, parsed. */
	body: unknown;
	at: number;
	/** Undefined if there was never a connection. */
	localPort?: number;
	/** The trouble that broke its connection; not one whose moment never came. */
	trouble?: SocketTrouble;
	/** The bytes of the response that arrived, if the trouble came after them. */
	received?: Buffer;
}

/** Turns of the event loop in which a client reads what has arrived. */
const READING_TURNS = 20;

/**
 * The network between n8n and the service, at this process's end: it records every request that
 * begins, and breaks some connections as a story says.
 */
export class Wire {
	readonly requests: BegunRequest[] = [];

	private readonly counts = new Map<Operation, number>();

	constructor(
		private readonly troubles: SocketTrouble[],
		private readonly now: () => number,
	) {}

	/** @returns a function that lets go of the network again */
	tap(): () => void {
		const prototype = ClientRequest.prototype;
		const { end, write } = prototype;
		const bodies = new WeakMap<ClientRequest, string>();
		const collect = (request: ClientRequest, chunk: unknown) => {
			const text = Buffer.isBuffer(chunk) ? chunk.toString() : chunk;
			if (typeof text === 'string') bodies.set(request, (bodies.get(request) ?? '') + text);
		};
		const note = (request: ClientRequest) => {
			this.note(request, bodies.get(request) ?? '');
		};
		prototype.write = function (this: ClientRequest, ...args: unknown[]) {
			collect(this, args[0]);
			return (write as (...all: unknown[]) => boolean).apply(this, args);
		} as typeof write;
		prototype.end = function (this: ClientRequest, ...args: unknown[]) {
			collect(this, args[0]);
			note(this);
			return (end as (...all: unknown[]) => ClientRequest).apply(this, args);
		} as typeof end;
		return () => {
			for (const method of ['write', 'end']) Reflect.deleteProperty(prototype, method);
		};
	}

	/** Returns the number of adds and clears that have begun. */
	countOrders(): number {
		return (this.counts.get('queue.add') ?? 0) + (this.counts.get('queue.clear') ?? 0);
	}

	private note(request: ClientRequest, body: string): void {
		const operation = getOperation(request);
		if (N8nProcess.getCurrent()?.note(request) === false) return;
		if (!operation || request.getHeader('user-agent') === OWN_REQUEST['user-agent']) return;
		const nth = (this.counts.get(operation) ?? 0) + 1;
		this.counts.set(operation, nth);
		const trouble = this.troubles.find((each) => each.operation === operation && each.nth === nth);
		const begun: BegunRequest = {
			operation,
			url: `${request.protocol}//${String(request.getHeader('host'))}${request.path}`,
			authorization: String(request.getHeader('authorization')),
			body: parse(body),
			at: this.now(),
		};
		this.requests.push(begun);
		request.once('socket', (socket) => {
			if (trouble) breakConnection(socket, trouble, begun);
			// Prepended last, so the port is known before anything breaks.
			notePort(socket, begun);
		});
	}
}

function getOperation({ method, path }: ClientRequest): Operation | undefined {
	if (path.endsWith('/v1/queue/add') && method === 'POST') return 'queue.add';
	if (path.endsWith('/v1/queue/clear') && method === 'POST') return 'queue.clear';
	if (path.includes('/v1/queue/progress/')) return 'queue.getProgress';
	if (path.endsWith('/v1/videos')) return 'video.getAll';
	if (path.endsWith('/v1/user/account')) return 'account.get';
	return path.startsWith('/files/') ? 'video.file' : undefined;
}

function parse(text: string): unknown {
	try {
		return JSON.parse(text) as unknown;
	} catch {
		return undefined;
	}
}

function notePort(socket: Socket, begun: BegunRequest): void {
	const note = () => {
		if (socket.localPort !== undefined) begun.localPort = socket.localPort;
	};
	if (socket.connecting) socket.prependOnceListener('connect', note);
	else note();
}

function breakConnection(socket: Socket, trouble: SocketTrouble, begun: BegunRequest): void {
	const { moment, bodyBytes } = trouble;
	const destroy = () => {
		begun.trouble = trouble;
		socket.destroy(createError(trouble.error));
	};
	switch (moment) {
		case 'connecting':
			destroy();
			return;
		case 'connected':
			// Everything that is written to a socket waits for this event.
			if (socket.connecting) socket.prependOnceListener('connect', destroy);
			else destroy();
			return;
		case 'sent':
			interceptData(socket, () => {
				destroy();
				return undefined;
			});
			return;
		case 'receiving':
			interceptData(socket, (piece) => {
				const before = begun.received ?? Buffer.alloc(0);
				const all = Buffer.concat([before, piece]);
				const headEnd = all.indexOf('\r\n\r\n');
				const wanted = headEnd < 0 ? all.length : headEnd + 4 + bodyBytes;
				begun.received = all.subarray(0, wanted);
				if (all.length >= wanted && headEnd >= 0) void afterTurns(READING_TURNS).then(destroy);
				return begun.received.subarray(before.length);
			});
	}
}

/** Lets a function decide which bytes of each piece arrive; undefined: none, and never again. */
function interceptData(socket: Socket, take: (piece: Buffer) => Buffer | undefined): void {
	const emit = socket.emit.bind(socket) as (...args: unknown[]) => boolean;
	const intercept = (name: unknown, ...args: unknown[]) => {
		if (name !== 'data') return emit(name, ...args);
		const piece = take(args[0] as Buffer);
		return piece !== undefined && piece.length > 0 && emit('data', piece);
	};
	socket.emit = intercept as typeof socket.emit;
}

async function afterTurns(count: number): Promise<void> {
	for (let turn = 0; turn < count; turn++) await new Promise((resolve) => setImmediate(resolve));
}

/** Creates an error as Node reports it for a socket; undefined: a connection that just closes. */
export function createError(error: SocketError): Error | undefined {
	if (error.syscall === null) return undefined;
	const one = createSystemError(error, '127.0.0.1');
	if (!error.isDualStack) return one;
	// The aggregate's message is empty, and its code is that of the first error.
	return Object.assign(new AggregateError([createSystemError(error, '::1'), one]), {
		code: error.code,
	});
}

function createSystemError({ syscall, code }: SocketError, address: string): Error {
	// OpenSSL's own codes have reasons instead of numbers.
	if (code.startsWith('ERR_SSL_')) {
		const reason = code.slice('ERR_SSL_'.length).toLowerCase().replaceAll('_', ' ');
		const text = `error:0A000000:SSL routines::${reason}`;
		return Object.assign(new Error(text), { library: 'SSL routines', reason, code });
	}
	if (syscall === 'getaddrinfo') {
		const hostname = 'video.example';
		return Object.assign(new Error(`${syscall} ${code} ${hostname}`), { code, syscall, hostname });
	}
	const errno = [...getSystemErrorMap()].find(([, [name]]) => name === code)?.[0];
	if (syscall !== 'connect') {
		return Object.assign(new Error(`${String(syscall)} ${code}`), { errno, code, syscall });
	}
	const port = 443;
	const facts = { errno, code, syscall, address, port };
	return Object.assign(new Error(`${syscall} ${code} ${address}:${port}`), facts);
}
