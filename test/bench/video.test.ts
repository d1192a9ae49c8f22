/** What a video costs that nobody sees: how often the node asks n8n and the service. More than these fails. */
import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { INodeParameters } from 'n8n-workflow';
import type { SettingsChange } from '../../sandbox/domain/settings';
import { GENERATE } from '../support/engine/OPERATIONS';
import { planVideos } from '../support/engine/planVideos';
import { runNode } from '../support/engine/runNode';
import { runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';
import { DeduplicationStore } from '../support/n8nServer/DeduplicationStore';
import { interceptLookUps } from '../support/n8nServer/TestCredentialsHelper';

const service = useSandbox();

interface Counts {
	connections: number;
	lookUpsOfTheCredential: number;
	readsOfTheList: number;
	callsOfTheStore: number;
}

const TELLING = { videoUrlInDetails: true };
const KEY = { options: { uniqueKey: 'row-1' } };

/** Those of each video. */
const EACH = { lookUpsOfTheCredential: 1, readsOfTheList: 2 };

test.each<[string, SettingsChange, INodeParameters, Counts]>([
	['silent service', {}, {}, { ...EACH, connections: 9, callsOfTheStore: 0 }],
	['silent service with a Unique Key', {}, KEY, { ...EACH, connections: 9, callsOfTheStore: 4 }],
	['telling service', TELLING, {}, { ...EACH, connections: 7, callsOfTheStore: 0 }],
])('A video of 20 s, of a %s', async (name, settings, more, limits) => {
	const { sandbox } = service;
	sandbox.configure(settings);
	planVideos(sandbox, { processingMs: 20_000 });
	const { credentials, ...setup } = service.setup({ ...GENERATE, ...more });
	// Nothing is known of another address of the service.
	const baseUrl = `${credentials.baseUrl}/${name.replaceAll(' ', '-')}`;
	const lookUps = interceptLookUps((found) => found);
	const store = new DeduplicationStore().use();
	let connections = 0;
	const count = () => (connections += 1);
	subscribe('net.client.socket', count);
	const run = async () => await runNode({ ...setup, credentials: { ...credentials, baseUrl } });
	const { items } = await runWithoutWaiting(run, sandbox);
	unsubscribe('net.client.socket', count);
	const counts: Counts = {
		connections,
		lookUpsOfTheCredential: lookUps.mock.calls.length,
		readsOfTheList: service.listSent().filter((operation) => operation === 'video.getAll').length,
		callsOfTheStore: store.calls,
	};
	jest.restoreAllMocks();
	process.stdout.write(`A video of 20 s, of a ${name}: ${JSON.stringify(counts)}\n`);
	expect(items[0]?.json.videoUrl).toBeTruthy();
	expect(counts).toEqual(limits);
});
