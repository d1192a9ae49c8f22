import { once } from 'node:events';
import http from 'node:http';
import type { AddressInfo } from 'node:net';
import type { IDataObject } from 'n8n-workflow';
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import { ActiveTrigger, type PollResult } from '../support/n8nServer/ActiveTrigger';
import { OPERATIONS } from '../support/engine/OPERATIONS';
import { runNode } from '../support/engine/runNode';
import { passTime, runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useBinaryStore } from '../support/engine/useBinaryStore';

const START = Date.parse('2026-01-15T12:00:00.000Z');
const MINUTE_MS = 60_000;
const HOUR_MS = 60 * MINUTE_MS;

// A service that runs for months changes how it writes its list. What a trigger emits otherwise stands in
// triggerHistories.test.ts.

interface Video {
	id: string;
	time: number;
}

/** A service that changes how it writes its list of videos. */
const service = {
	videos: [] as Video[],
	/** The list holds this many of the newest videos. */
	maxListed: Infinity,
	host: 'https://old.example.com',
	writeDate: (time: number): unknown => new Date(time).toISOString(),
	writeId: (id: string): string => JSON.stringify(id),
	now: START,
	clock: {
		now: () => service.now,
		advance: (delayMs: number) => {
			service.now += delayMs;
		},
	},
	onRequest: () => () => undefined,
	countSleeping: () => 0,
};

const server = http.createServer((_request, response) => {
	const newest = [...service.videos].sort((a, b) => b.time - a.time).slice(0, service.maxListed);
	const entries = newest.map(({ id, time }) => {
		const rest = {
			url: `${service.host}/${id}.mp4`,
			projectId: 'p',
			createdAt: service.writeDate(time),
		};
		return `{"id":${service.writeId(id)},${JSON.stringify(rest).slice(1)}`;
	});
	response.writeHead(200, { 'content-type': 'application/json' });
	response.end(`{"status":"success","message":"","videos":[${entries.join(',')}]}`);
});

useBinaryStore();
beforeAll(async () => {
	await once(server.listen(0, 'localhost'), 'listening');
	passTime(HOUR_MS);
});
afterAll(async () => {
	server.closeAllConnections();
	await once(server.close(), 'close');
});
beforeEach(() => {
	Object.assign(service, {
		videos: [],
		maxListed: Infinity,
		host: 'https://old.example.com',
		writeDate: (time: number) => new Date(time).toISOString(),
		writeId: (id: string) => JSON.stringify(id),
	});
});

const url = () => `http://localhost:${(server.address() as AddressInfo).port}`;
/** Videos that are finished, one a minute, the last one now. */
const finish = (count: number, prefix = 'v', everyMs = MINUTE_MS) => {
	const first = service.now - (count - 1) * everyMs;
	for (let i = 0; i < count; i++) {
		service.videos.push({ id: `${prefix}${i}`, time: first + i * everyMs });
	}
};
const create = async (apiKey = 'key') =>
	await ActiveTrigger.create({ credentials: { baseUrl: url(), apiKey } });
const poll = async (trigger: ActiveTrigger, isFirst = false): Promise<PollResult> => {
	passTime(MINUTE_MS);
	service.now += MINUTE_MS;
	return await runWithoutWaiting(
		() => (isFirst ? trigger.activate() : trigger.poll()),
		service as never,
	);
};
const ids = ({ items }: PollResult) =>
	(items ?? []).map(({ json }: { json: IDataObject }) => json.id);

const FORMS: [string, (time: number) => unknown][] = [
	['milliseconds', (time) => time],
	['seconds', (time) => Math.floor(time / 1000)],
	['milliseconds as text', String],
	['seconds as text', (time) => String(Math.floor(time / 1000))],
	[
		'an hour of another zone',
		(time) => `${new Date(time + 9 * HOUR_MS).toJSON().slice(0, -1)}+09:00`,
	],
	['a day first', (time) => new Date(time).toUTCString()],
];

describe.each(FORMS)('When the service begins to write dates as %s', (_what, writeDate) => {
	test('no old video of 6,000 is emitted again, and new ones are', async () => {
		finish(6_000);
		const trigger = await create();
		await poll(trigger, true);
		finish(1, 'new');
		expect(ids(await poll(trigger))).toEqual(['new0']);
		service.writeDate = writeDate;
		expect(ids(await poll(trigger))).toEqual([]);
		finish(1, 'after');
		expect(ids(await poll(trigger))).toEqual(['after0']);
	});

	test('new videos are emitted, however many there are', async () => {
		service.writeDate = writeDate;
		finish(1_100);
		const trigger = await create();
		await poll(trigger, true);
		finish(1_100, 'a', 1_000);
		expect(ids(await poll(trigger))).toHaveLength(1_100);
		finish(1, 'b');
		expect(ids(await poll(trigger))).toEqual(['b0']);
	});
});

describe('When no date can be read any more, and new videos cannot be told from forgotten ones, a poll says so', () => {
	test.each([
		['6,000 existed, of which 5,000 are remembered', 6_000, 0],
		['more than 1,000 have been emitted since', 10, 1_001],
	])('if %s; nothing is emitted again, and nothing is missed', async (_what, before, since) => {
		finish(before);
		const trigger = await create();
		await poll(trigger, true);
		const { writeDate } = service;
		service.writeDate = () => 'soon';
		finish(since, 'since', 1_000);
		if (since > 1_000) expect(ids(await poll(trigger))).toHaveLength(since);
		finish(1, 'new');
		expect(await poll(trigger)).toMatchObject({
			items: null,
			error: { message: "The response from the video service has no 'createdAt'" },
		});
		service.writeDate = writeDate;
		expect(ids(await poll(trigger)).at(-1)).toBe('new0');
		expect(ids(await poll(trigger))).toEqual([]);
	});
});

test('Without readable dates, up to 1,000 new videos are emitted', async () => {
	finish(10);
	const trigger = await create();
	await poll(trigger, true);
	service.writeDate = () => null;
	finish(1_000, 'new', 1_000);
	expect(ids(await poll(trigger))).toHaveLength(1_000);
});

test.each([
	['IDs', (id: string) => JSON.stringify(id)],
	[
		'numbers as IDs that JavaScript rounds',
		(id: string) => `90071992547409${id.slice(1).padStart(5, '0')}`,
	],
	['no IDs', () => 'null'],
])('When the host of videos with %s changes, none is emitted again', async (_what, writeId) => {
	service.writeId = writeId;
	finish(300);
	const trigger = await create();
	await poll(trigger, true);
	service.host = 'https://new.example.com';
	expect(ids(await poll(trigger))).toEqual([]);
});

test("When a list shows only the newest videos, and none that was seen, n8n's log says so", async () => {
	const warn = jest.spyOn(Container.get(Logger), 'warn');
	service.maxListed = 50;
	finish(60);
	const trigger = await create();
	await poll(trigger, true);
	finish(49, 'some', 1_000);
	expect(ids(await poll(trigger))).toHaveLength(49);
	expect(warn).not.toHaveBeenCalled();
	finish(80, 'more', 500);
	expect(ids(await poll(trigger))).toHaveLength(50);
	expect(warn).toHaveBeenCalledWith(expect.stringContaining('missed'));
});

test('A video is not shown by a number that JavaScript rounds, if it is that of several', async () => {
	const numbers: Record<string, string> = { v0: '9007199254740992001', v1: '9007199254740992002' };
	service.writeId = (id) => numbers[id] ?? '7';
	finish(3);
	const get = async (id: number) => {
		const credentials = { baseUrl: url(), apiKey: 'key' };
		return await runNode({ parameters: OPERATIONS['video.get'], credentials, items: [{ id }] });
	};
	expect((await get(7)).items).toMatchObject([{ json: { id: 7 } }]);
	expect((await get(9007199254740992002)).error?.message).toMatch(/^Several finished videos/);
});
