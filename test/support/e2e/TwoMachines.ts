import { execFileSync, spawnSync } from 'node:child_process';
import { mkdtempSync, readlinkSync, rmSync } from 'node:fs';
import { connect, createServer, type Server } from 'node:net';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { waitFor } from '../../../scripts/waitFor';
import { ServerProcess } from './ServerProcess';

const N8N = '10.9.0.1';
const SERVICE = '10.9.0.2';
const PORT = 8080;

/**
 * Hands connections on to a socket in the file system, which a network namespace does not separate.
 * Once the first request begins to arrive, nothing more leaves this machine, acknowledgements included.
 */
const RELAY = `
	const [, path] = process.argv;
	const { connect, createServer } = require('node:net');
	const { execFileSync } = require('node:child_process');
	let isCut = false;
	createServer((socket) => {
		socket.once('data', () => {
			if (!isCut) execFileSync('ip', ['route', 'add', 'blackhole', '${N8N}']);
			isCut = true;
		});
		const target = connect(path);
		for (const end of [socket, target]) end.on('error', () => undefined);
		socket.pipe(target).pipe(socket);
	}).listen(${PORT});`;

/** Limits the speed, so that a request of some KB takes long enough to be cut in its middle. */
const SLOW = 'tc qdisc add dev v0 root tbf rate 200kbit burst 2000 latency 5s';
const PREPARE_N8N = `ip link set lo up
	ip link add v0 type veth peer name v1 netns "$1"
	ip addr add ${N8N}/24 dev v0
	ip link set v0 up
	${SLOW}
	# Linux gives up what is not acknowledged after seconds, not after 15 minutes.
	echo 2 > /proc/sys/net/ipv4/tcp_retries2`;
const PREPARE_SERVICE = `ip link set lo up
	ip addr add ${SERVICE}/24 dev v1
	ip link set v1 up`;
const TRY = `ip link add v0 type veth peer name v1; ${SLOW}; ss -Htn`;

/**
 * Two machines as far as Linux is concerned: one for n8n and one for the video service, each a network
 * namespace of its own, with a cable between them. The network breaks when the first request arrives:
 * the service receives the whole of it, and n8n receives nothing more.
 */
export class TwoMachines {
	readonly serviceUrl = `http://${SERVICE}:${PORT}`;

	private readonly folder = mkdtempSync(join(tmpdir(), 'machines-'));

	private readonly n8n: ServerProcess;

	private readonly service: ServerProcess;

	private readonly bridge: Server;

	/** @param servicePort the port on this machine at which the service really listens */
	constructor(servicePort: number) {
		const path = join(this.folder, 'service');
		this.n8n = this.startMachine('sleep', 'infinity');
		this.service = this.startMachine(process.execPath, '-e', RELAY, path);
		this.bridge = createServer((socket) => {
			const target = connect(servicePort, '127.0.0.1');
			for (const end of [socket, target]) end.on('error', () => undefined);
			socket.pipe(target).pipe(socket);
		}).listen(path);
	}

	/** Whether they can be made here: that takes Linux, its tools and the rights of root. */
	static canBeMade(): boolean {
		return spawnSync('unshare', ['--net', 'sh', '-ec', TRY]).status === 0;
	}

	/** The beginning of a command line that runs on n8n's machine. */
	get onN8n(): [string, ...string[]] {
		return enter(this.n8n);
	}

	async start(): Promise<void> {
		const machines = [this.n8n, this.service];
		await waitFor('the machines', () =>
			machines.every(({ pid }) => readNamespace(pid) !== readNamespace(process.pid)),
		);
		run(this.n8n, PREPARE_N8N, String(this.service.pid));
		run(this.service, PREPARE_SERVICE);
	}

	/** Takes away the route to the service, too. */
	makeUnreachable(): void {
		run(this.n8n, `ip route add unreachable ${SERVICE}`);
	}

	/** Whether n8n's machine has an open connection to the service. */
	isConnected(): boolean {
		return run(this.n8n, `ss -Htn state established dst ${SERVICE}`) !== '';
	}

	repair(): void {
		run(this.n8n, 'ip route flush type unreachable');
		run(this.service, 'ip route flush type blackhole');
	}

	async stop(): Promise<void> {
		for (const machine of [this.n8n, this.service]) await machine.stop();
		this.bridge.close();
		rmSync(this.folder, { recursive: true });
	}

	private startMachine(...command: string[]): ServerProcess {
		return new ServerProcess({
			...{ file: 'unshare', args: ['--net', ...command] },
			...{ cwd: this.folder, env: process.env, logFile: join(this.folder, 'log') },
		});
	}
}

function enter({ pid }: ServerProcess): [string, ...string[]] {
	return ['nsenter', `--net=/proc/${pid}/ns/net`];
}

function run(machine: ServerProcess, script: string, ...args: string[]): string {
	const [file, ...rest] = [...enter(machine), 'sh', '-ec', script, 'sh', ...args];
	return execFileSync(file, rest, { encoding: 'utf8' });
}

function readNamespace(pid = 0): string {
	return readlinkSync(`/proc/${pid}/ns/net`);
}
