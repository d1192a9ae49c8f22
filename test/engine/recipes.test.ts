/*
 * The recipes of examples/README.md that decide what is paid or counted, with their expressions as the page has them.
 * n8n's own nodes run in "e2e/workflows".
 */

import { readFileSync } from 'node:fs';
import type { IDataObject } from 'n8n-workflow';
import { byId, GENERATE, OPERATIONS, PROJECT } from '../support/engine/OPERATIONS';
import { ERROR_OUTPUT } from '../support/engine/runNode';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();

const DAY_MS = 24 * 60 * 60 * 1000;

/** The expressions of a recipe, in their order. */
function readRecipe(title: string): string[] {
	const lines = readFileSync('examples/README.md', 'utf8').split('\n');
	const recipe = lines.find((line) => line.startsWith(`- **${title}**`)) ?? '';
	return [...recipe.matchAll(/`(\{\{[^`]+\}\})`/g)].map(([, expression]) => `=${expression}`);
}

test("What this month's videos have cost: lists those of the month, with the project that they are counted by", async () => {
	const [createdAfter] = readRecipe("What this month's videos have cost");
	const now = service.sandbox.clock.now();
	const ages: [id: string, projectId: string, ageDays: number][] = [
		['a', PROJECT, 0],
		['b', 'project-city-tour', 0],
		['c', PROJECT, 0],
		['last month', PROJECT, 31],
		['last year', PROJECT, 365],
	];
	service.sandbox.addVideos(
		'main',
		ages.map(([id, projectId, days]) => {
			return { id, projectId, createdAt: new Date(now - days * DAY_MS).toISOString() };
		}),
	);
	const list = { ...OPERATIONS['video.getAll'], returnAll: true, filters: { createdAfter } };
	const { items } = await service.run(list);
	const counted = items.map(({ json: { id, projectId } }) => [id, projectId]);
	const expected = ages.slice(0, 3).map(([id, projectId]) => [id, projectId]);
	expect(counted.sort()).toEqual(expected);
});

describe('One video a day for each person: a further one is left out, whoever asked first,', () => {
	const [daily = '', hourly = ''] = readRecipe('One video a day for each person');
	const people = ['ada', 'bob'].map((name) => ({ email: `${name}@example.com` }));

	const ask = async (uniqueKey: string, items: IDataObject[]) => {
		const parameters = { ...GENERATE, customPrompt: '={{ $json.email }}', options: { uniqueKey } };
		const { items: made } = await service.run(
			{ ...parameters, projectId: byId(PROJECT) },
			{ items, settings: ERROR_OUTPUT },
		);
		return made.map(({ json }) => service.listPaidIds().indexOf(json.queueId as string));
	};

	test('until the next day', async () => {
		expect(await ask(daily, people)).toEqual([0, 1]);
		expect(await ask(daily, people)).toEqual([]);
		service.sandbox.clock.advance(DAY_MS);
		expect(await ask(daily, people.slice(0, 1))).toEqual([2]);
		expect(service.listPaid()).toEqual(['ada', 'bob', 'ada'].map((name) => `${name}@example.com`));
	});

	test('and with one an hour for all, until the next hour', async () => {
		const [ada, bob] = people.map((person) => [person]);
		expect(await ask(hourly, ada ?? [])).toEqual([0]);
		expect(await ask(hourly, bob ?? [])).toEqual([]);
		service.sandbox.clock.advance(60 * 60 * 1000);
		expect(await ask(hourly, bob ?? [])).toEqual([1]);
	});
});
