/*
 * What a trigger emits again, or never, after its workflow was moved or its state was lost: docs/trigger.md has a table
 * of it. n8n keeps the state in its database alone, as each storage has it.
 */

import type { IDataObject } from 'n8n-workflow';
import type { PollResult, TriggerSetup } from '../support/n8nServer/ActiveTrigger';
import { ActiveTrigger, STORAGES } from '../support/n8nServer/ActiveTrigger';
import { passTime, runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

const MINUTE_MS = 60_000;

const finish = (id: string) => service.sandbox.addVideos('main', [{ id }]);

/** n8n polls, a minute after the last time. @returns the IDs of what the poll emits */
async function poll(start: () => Promise<PollResult>) {
	passTime(MINUTE_MS);
	service.sandbox.clock.advance(MINUTE_MS);
	const { items } = await runWithoutWaiting(start, service.sandbox);
	return (items ?? []).map(({ json }) => json.id);
}

describe.each(STORAGES)('With its state in %s, a trigger', (storage) => {
	const isDurable = storage === 'durable cursors';
	const create = async (setup: Partial<TriggerSetup> = {}) =>
		await ActiveTrigger.create({
			credentials: { baseUrl: service.sandbox.url, apiKey: service.sandbox.apiKey },
			storage,
			...setup,
		});
	/** A trigger that has emitted "since" after a backup, and has not seen "meanwhile". */
	const play = async () => {
		const trigger = await create();
		finish('existing');
		expect(await poll(() => trigger.activate())).toEqual([]);
		for (const id of ['one', 'two']) {
			finish(id);
			expect(await poll(() => trigger.poll())).toEqual([id]);
		}
		const backup = { ...trigger.database };
		finish('since');
		expect(await poll(() => trigger.poll())).toEqual(['since']);
		finish('meanwhile');
		return { trigger, backup };
	};
	const getStatic = ({ staticData }: { staticData: string }) =>
		JSON.parse(staticData) as IDataObject;

	test('that is copied, or imported in the editor, begins with a first poll: what has finished meanwhile is missed', async () => {
		await play();
		const copy = await create();
		expect(await poll(() => copy.activate())).toEqual([]);
		finish('next');
		expect(await poll(() => copy.poll())).toEqual(['next']);
	});

	test(`that is moved to another n8n by n8n's commands ${
		isDurable ? 'begins with a first poll' : 'repeats what has finished since its export'
	}`, async () => {
		const { backup } = await play();
		const moved = await create({ saved: getStatic(backup) });
		expect(await poll(() => moved.activate())).toEqual(isDurable ? [] : ['since', 'meanwhile']);
		finish('next');
		expect(await poll(() => moved.poll())).toEqual(['next']);
	});

	test(`that n8n's commands import over itself ${
		isDurable ? 'continues' : 'repeats what has finished since its export'
	}`, async () => {
		const { trigger, backup } = await play();
		trigger.database.staticData = backup.staticData;
		const repeated = isDurable ? [] : ['since'];
		expect(await poll(() => trigger.activate())).toEqual([...repeated, 'meanwhile']);
	});

	test('whose n8n is restored from a backup repeats what has finished since then', async () => {
		const { trigger, backup } = await play();
		Object.assign(trigger.database, backup);
		expect(await poll(() => trigger.activate())).toEqual(['since', 'meanwhile']);
		expect(await poll(() => trigger.poll())).toEqual([]);
	});

	test(`whose poll n8n's database refuses ${
		isDurable ? 'emits its videos with the next one' : 'misses its videos'
	}`, async () => {
		const { trigger } = await play();
		expect(await poll(() => trigger.poll({ isRolledBack: true }))).toEqual([]);
		expect(await poll(() => trigger.poll())).toEqual(isDurable ? ['meanwhile'] : []);
	});

	test('whose state is deleted begins with a first poll', async () => {
		const { trigger } = await play();
		trigger.database.staticData = '{}';
		delete trigger.database.row;
		expect(await poll(() => trigger.activate())).toEqual([]);
	});
});
