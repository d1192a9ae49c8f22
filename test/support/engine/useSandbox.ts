import type { IDataObject, INodeParameters } from 'n8n-workflow';
import type { SandboxOptions } from '../../../sandbox/control/context';
import type { Operation } from '../../../sandbox/domain/model';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { startSandbox } from '../../../sandbox/startSandbox';
import { DeduplicationStore } from '../n8nServer/DeduplicationStore';
import { type ALL_OPERATIONS, listRequired, OPERATIONS, PROJECT } from './OPERATIONS';
import { getOwnVideoId, planVideos, type VideoPlan } from './planVideos';
import { type NodeSetup, runNode, startNode } from './runNode';
import { passTime, runWithoutWaiting } from './runWithoutWaiting';

/** Keeps the monotonic clock of skipped waits ahead of the real one, which some tests read before. */
const BETWEEN_TESTS_MS = 2 * 60 * 60 * 1000;

interface Times {
	afterMs?: number;
	stopAfterMs?: number | undefined;
}

/** Starts one sandbox for all tests of a file, and resets it before each test. */
export function useSandbox(options: SandboxOptions = {}) {
	const held = {} as { sandbox: Sandbox };
	beforeAll(async () => {
		held.sandbox = await startSandbox({ rateLimit: false, ...options });
	});
	beforeEach(() => {
		held.sandbox.reset();
		new DeduplicationStore().use();
		passTime(BETWEEN_TESTS_MS);
	});
	afterAll(async () => {
		await held.sandbox.close();
	});

	const setup = (parameters: INodeParameters): NodeSetup => ({
		parameters,
		credentials: { baseUrl: held.sandbox.url, apiKey: held.sandbox.apiKey },
	});
	/** Runs the node with the main account's credential, without its waits. */
	const run = async (parameters: INodeParameters, more: Partial<NodeSetup> = {}) => {
		const start = async () => await runNode({ ...setup(parameters), ...more });
		const isTimeFake = Object.hasOwn(setTimeout, 'clock');
		return isTimeFake ? await start() : await runWithoutWaiting(start, held.sandbox);
	};
	/** An execution that starts after a time, and maybe is stopped some time later. */
	const begin = (parameters: INodeParameters, more: Partial<NodeSetup> & Times = {}) => {
		const { afterMs = 0, stopAfterMs, ...others } = more;
		const start = async () => {
			const { result, stop } = await startNode({ ...setup(parameters), ...others });
			if (stopAfterMs !== undefined) setTimeout(stop, stopAfterMs);
			return await result;
		};
		return { afterMs, start };
	};
	/** Queues this many videos, and clears the recorded requests. @returns their queue IDs */
	const queueVideos = async (count: number) => {
		const items = Array.from({ length: count }, () => ({}));
		const { items: added } = await run(OPERATIONS['queue.add'], { items });
		held.sandbox.clearRequests();
		return added.map(({ json }) => json.queueId as string);
	};

	const addQueueItem = async () => ({ queueId: (await queueVideos(1))[0], project: PROJECT });
	const addListedVideo = async () => {
		const [video] = held.sandbox.addVideos('main', [{ projectId: PROJECT }]);
		const { items } = await run(OPERATIONS['video.get'], { items: [{ id: video?.id }] });
		return items[0]?.json ?? {};
	};
	/** What creates a value of an item, by the field of the item. */
	const creators = new Map<string, () => Promise<IDataObject>>([
		['queueId', addQueueItem],
		['id', addListedVideo],
		['url', addListedVideo],
	]);
	/**
	 * Creates what the row of an operation takes from its item, and clears the recorded requests.
	 * @returns its input items
	 */
	const createInput = async (name: keyof typeof ALL_OPERATIONS): Promise<IDataObject[]> => {
		const item: IDataObject = {};
		for (const field of listRequired(name)) {
			const create = creators.get(field);
			if (!create) throw new Error(`${name} takes "${field}", which useSandbox.ts cannot create`);
			if (!(field in item)) Object.assign(item, await create());
		}
		held.sandbox.clearRequests();
		return [item];
	};

	return Object.assign(held, {
		setup,
		run,
		begin,
		queueVideos,
		createInput,
		/** Adds a finished video to the log. @returns its ID and its address */
		addVideo: (query = '') => {
			const [{ id } = { id: '' }] = held.sandbox.addVideos('main', [{}]);
			return { id, url: `${held.sandbox.url}/files/${id}.mp4${query}` };
		},
		planVideos: (...videos: VideoPlan[]) => {
			planVideos(held.sandbox, ...videos);
		},
		/** The operations of the requests, in their order. */
		listSent: () => held.sandbox.requests.map(({ operation }) => operation),
		/** How many requests of an operation there were, with this part in their address. */
		countSent: (operation: Operation, part = '') =>
			held.sandbox.requests.filter(
				(request) => request.operation === operation && request.url.includes(part),
			).length,
		/** Whose video each item was given. */
		listGiven: (items: { json: IDataObject }[]) =>
			items.map(({ json }) => {
				if (!json.video) return 'none';
				const { id } = json.video as IDataObject;
				return id === getOwnVideoId(held.sandbox, json) ? 'own' : 'another';
			}),
		/** The queue IDs of the videos that were paid for, in their order. */
		listPaidIds: () => held.sandbox.charges.map(({ queueId }) => queueId),
		/** The prompts of the videos that were paid for, in their order. */
		listPaid: () => held.sandbox.charges.map(({ customPrompt }) => customPrompt),
	});
}
