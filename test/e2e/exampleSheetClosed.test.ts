import type { Execution } from '../../scripts/n8n/n8nTypes';
import { readVideoFile } from '../../sandbox/files/readVideoFile';
import { useApps } from '../support/e2e/apps/useApps';
import type { GoogleSheet } from '../support/e2e/apps/GoogleSheet';
import { holdAtApp, holdAtService, holdReading } from '../support/e2e/holds';
import { keepsFilesInMemory } from '../support/e2e/N8nInstance';
import { setUpExample, type ExampleSetUp } from '../support/e2e/setUpExample';
import { useRealN8n } from '../support/e2e/useRealN8n';

const TRIGGER = 'When you press Execute';
const TOUR = 'project-city-tour';
const TEASER = 'project-product-teaser';
const FAILING = 'project-broken-storyboard';
const COLUMNS = ['id', 'project', 'prompt', 'status', 'queueId', 'video', 'link', 'note'];
const QUICK = { pendingMs: 300, processingMs: 300, renderingMs: 300 };
const SLOW = { pendingMs: 3_600_000 };
const AT_ONCE = { waitBetweenTries: 1 };
const TIMEOUT_MS = 180_000;
const SHEET_TYPE = 'n8n-nodes-base.googleSheets';
const MAKE = 'Make and download the videos';
const SHEETS = 'sheets.googleapis.com';
const GOOGLE = 'www.googleapis.com';

const apps = useApps('sheet-closed');
const { sheet, drive } = apps;
const real = useRealN8n('sheet-closed', { environment: apps.environment });
afterAll(apps.stop);

let choices: ExampleSetUp['choices'];
beforeAll(async () => {
	choices = await apps.choose(real.client);
	choices['n8n-nodes-video-generation.videoGeneration'] = {
		credentials: { videoGenerationApi: { id: real.credential.id, name: real.credential.name } },
	};
});
beforeEach(() => {
	real.sandbox.configure({ durations: QUICK });
});

/** Adds the example to n8n as a user does, on a sheet. */
async function take(from: GoogleSheet = sheet, timeout = 60) {
	const chosen = choices[SHEET_TYPE];
	const content = setUpExample('video-for-each-row', {
		choices: {
			...choices,
			[SHEET_TYPE]: { ...chosen, parameters: { ...chosen?.parameters, ...from.choice } },
		},
		changes: { [MAKE]: { waitOptions: { pollingInterval: 1, listingDelay: 1, timeout } } },
		settings: Object.fromEntries(
			[
				'Get the rows of the sheet',
				'Note that the videos are being made',
				'Note that they are being uploaded',
				'Write the links to the rows',
			].map((name) => [name, AT_ONCE]),
		),
	});
	const { id } = await real.client.createWorkflow(content);
	const start = async () => await real.client.runWorkflow(id, TRIGGER);
	const run = async () => await real.client.waitForExecution(await start(), TIMEOUT_MS);
	return { start, run };
}

const readFailure = ({ status, data }: Execution) => [status, data.resultData.error?.message];
const SUCCESS = ['success', undefined];
const listPaid = () => real.sandbox.charges.map(({ customPrompt }) => customPrompt);
const listFiles = () => drive.files.map(({ name }) => name);
const findItem = (prompt: string) =>
	real.sandbox.readState().queue.find(({ customPrompt }) => customPrompt === prompt);
const findAddress = (prompt: string) =>
	`${real.sandbox.url}/files/${findItem(prompt)?.videoId}.mp4`;
const expectText = (pattern: RegExp) => expect.stringMatching(pattern) as string;

describe('The example that makes a video for each row of a sheet', () => {
	test('stores the video of each new row in Google Drive, writes its link to the row, and does nothing for a row twice', async () => {
		sheet.fill([
			COLUMNS,
			['a', TEASER, 'Prompt a'],
			['old', TEASER, 'Prompt old', 'stored'],
			['none', '', 'no project'],
			['unknown', 'nowhere', 'Prompt unknown'],
			['b', TOUR, 'Prompt b'],
			['fails', FAILING, 'Prompt fails'],
		]);
		const { run } = await take();
		expect(readFailure(await run())).toEqual(SUCCESS);
		const stored = (prompt: string, number: number) => ({
			...{ prompt, status: 'stored', queueId: findItem(prompt)?.queueId, note: '' },
			link: `https://drive.google.com/file/d/${number}/view`,
		});
		const rows = [
			{ id: 'a', ...stored('Prompt a', 1), video: findAddress('Prompt a') },
			{ id: 'old', status: 'stored', queueId: '', link: '' },
			{ id: 'none', status: '', note: '' },
			{ id: 'unknown', status: 'check', queueId: '', note: expectText(/\(400\).*'Project'/) },
			{ id: 'b', ...stored('Prompt b', 2), video: findAddress('Prompt b') },
			{
				id: 'fails',
				status: 'check',
				queueId: findItem('Prompt fails')?.queueId,
				link: '',
				note: expectText(/failed.* change the id/),
			},
		];
		expect(sheet.rows).toMatchObject(rows);
		expect(listFiles()).toEqual(['a.mp4', 'b.mp4']);
		expect(drive.files[0]?.content.equals(readVideoFile('product-teaser'))).toBe(true);
		expect(drive.files[1]?.content.equals(readVideoFile('city-tour'))).toBe(true);
		// As typed input, an ID of digits would become a number, and a text with "=" a formula.
		expect(new Set(sheet.inputOptions)).toEqual(new Set(['RAW']));

		expect(readFailure(await run())).toEqual(SUCCESS);
		expect(listPaid()).toEqual(['Prompt a', 'Prompt b', 'Prompt fails']);
		expect(listFiles()).toHaveLength(2);
		expect(sheet.rows).toMatchObject(rows);
	});

	test('queues as many rows as there are credits, and the others once their status is deleted', async () => {
		sheet.fill([COLUMNS, ['a', TEASER, 'Prompt a'], ['b', TOUR, 'Prompt b']]);
		real.sandbox.setCredits('main', 1);
		const { run } = await take();
		await run();
		expect(sheet.rows).toMatchObject([
			{ status: 'stored' },
			{ status: 'check', note: expectText(/credits.* delete the status/) },
		]);
		real.sandbox.setCredits('main', 5);
		sheet.change('b', { status: '' });
		await run();
		expect(sheet.rows).toMatchObject([{ status: 'stored' }, { status: 'stored', note: '' }]);
		expect([listPaid(), listFiles()]).toEqual([
			['Prompt a', 'Prompt b'],
			['a.mp4', 'b.mp4'],
		]);
	});

	test('says of a row whose response was lost that it may be paid for, and stores the video that a person finds', async () => {
		real.sandbox.configure({ durations: SLOW });
		sheet.fill([COLUMNS, ['a', TEASER, 'Prompt a']]);
		real.sandbox.addFault({ kind: 'reset', phase: 'after', operation: 'queue.add', times: 1 });
		const { run } = await take();
		await run();
		expect(sheet.rows).toMatchObject([{ status: 'check', note: expectText(/may have been/) }]);
		sheet.change('a', { status: '' });
		await run();
		expect(sheet.rows).toMatchObject([
			{ status: 'check', note: expectText(/already queued for this key.* 'video'/) },
		]);
		real.sandbox.finish(findItem('Prompt a')?.queueId ?? '');
		sheet.change('a', { status: 'upload', video: findAddress('Prompt a') });
		await run();
		expect(sheet.rows).toMatchObject([{ status: 'stored', note: '' }]);
		expect([listPaid(), listFiles()]).toEqual([['Prompt a'], ['a.mp4']]);
	});

	test('says of a video that takes too long how to go on, and stores it once it is finished', async () => {
		real.sandbox.configure({ durations: SLOW });
		sheet.fill([COLUMNS, ['a', TEASER, 'Prompt a'], ['b', TOUR, 'Prompt b']]);
		const { run } = await take(sheet, 5);
		await run();
		const note = expectText(/not finished within.* set the status to 'upload'/);
		expect(sheet.rows).toMatchObject([
			{ status: 'check', queueId: findItem('Prompt a')?.queueId, note },
			{ status: 'check', queueId: findItem('Prompt b')?.queueId, note },
		]);
		real.sandbox.finish(findItem('Prompt a')?.queueId ?? '');
		sheet.change('a', { status: 'upload', video: findAddress('Prompt a') });
		sheet.change('b', { status: '' });
		await run();
		expect(sheet.rows).toMatchObject([
			{ status: 'stored', note: '' },
			{ status: 'check', note: expectText(/already queued for this key/) },
		]);
		expect([listPaid(), listFiles()]).toEqual([['Prompt a', 'Prompt b'], ['a.mp4']]);
	});

	test('uploads a video that is there, and makes the other one, in one run', async () => {
		real.sandbox.addVideos('main', [{ id: 'v1', projectId: TOUR }]);
		const address = `${real.sandbox.url}/files/v1.mp4`;
		sheet.fill([COLUMNS, ['a', TEASER, 'Prompt a'], ['b', TOUR, '', 'upload', '', address]]);
		expect(readFailure(await (await take()).run())).toEqual(SUCCESS);
		const link = expectText(/^https:\/\/drive/);
		expect(sheet.rows).toMatchObject([
			{ id: 'a', status: 'stored', video: findAddress('Prompt a'), link, note: '' },
			{ id: 'b', status: 'stored', video: address, link, note: '' },
		]);
		expect(listFiles().sort()).toEqual(['a.mp4', 'b.mp4']);
		expect(listPaid()).toEqual(['Prompt a']);
	});

	test('stores a video that Google Drive refused, without making it again', async () => {
		sheet.fill([COLUMNS, ['a', TEASER, 'Prompt a']]);
		drive.uploadsLeft = 0;
		const { run } = await take();
		await run();
		expect(sheet.rows).toMatchObject([
			{
				...{ status: 'check', video: findAddress('Prompt a') },
				note: expectText(/^Google Drive: .+ Look for "a" there/),
			},
		]);
		drive.uploadsLeft = Infinity;
		sheet.change('a', { status: 'upload' });
		await run();
		expect(sheet.rows).toMatchObject([{ status: 'stored', note: '' }]);
		expect([listPaid(), listFiles()]).toEqual([['Prompt a'], ['a.mp4']]);
	});

	test('writes the link of a video that Google Drive takes, and why to each row whose video it refuses', async () => {
		const ids = ['a', 'b', 'c'];
		const address = `${real.sandbox.url}/files/v1.mp4`;
		real.sandbox.addVideos('main', [{ id: 'v1', projectId: TOUR }]);
		sheet.fill([COLUMNS, ...ids.map((id) => [id, TOUR, '', 'upload', '', address])]);
		drive.uploadsLeft = 1;
		expect(readFailure(await (await take()).run())).toEqual(SUCCESS);
		const refused = (id: string) => ({
			...{ id, status: 'check', link: '' },
			note: expectText(new RegExp(`^Google Drive: .+ Look for "${id}" there`)),
		});
		expect(sheet.rows).toMatchObject([
			{ id: 'a', status: 'stored', link: expectText(/^https:\/\/drive/), note: '' },
			...[refused('b'), refused('c')],
		]);
		expect(listFiles()).toEqual(['a.mp4']);
	});

	test('says that the address in a row does not lead to a video', async () => {
		const address = `${real.sandbox.url}/files/unknown.mp4`;
		sheet.fill([COLUMNS, ['a', TEASER, '', 'upload', '', address]]);
		await (await take()).run();
		expect(sheet.rows).toMatchObject([
			{ status: 'check', video: address, note: expectText(/address/) },
		]);
		expect([listPaid(), listFiles()]).toEqual([[], []]);
	});

	test('tries the sheet again, and makes each video once', async () => {
		sheet.fill([COLUMNS, ['a', TEASER, 'Prompt a']]);
		sheet.readsToFail = 1;
		sheet.writesToFail = 1;
		expect(readFailure(await (await take()).run())).toEqual(SUCCESS);
		expect(sheet.rows).toMatchObject([{ status: 'stored', note: '' }]);
		expect([listPaid(), listFiles()]).toEqual([['Prompt a'], ['a.mp4']]);
	});
});

describe('A kill of n8n in the example that makes a video for each row of a sheet', () => {
	const post = (host: string, containing: string) => ({ host, method: 'POST', containing });
	const service = () => real.sandbox;
	const HOLDS = [
		...holdReading(holdAtApp(apps, 'reading the sheet', { host: SHEETS, method: 'GET' })),
		...holdAtApp(apps, 'noting "making"', post(SHEETS, '"making"')),
		...holdAtService(service, 'queuing the video', 'queue.add'),
		...holdReading(holdAtService(service, 'waiting for the video', 'queue.getProgress')),
		...holdReading(holdAtService(service, 'downloading the video', 'video.file')),
		...holdAtApp(apps, 'noting "uploading"', post(SHEETS, '"uploading"')),
		...holdAtApp(apps, 'beginning the upload', post(GOOGLE, '/upload/drive')),
		// A file in memory is uploaded with the first request.
		...(keepsFilesInMemory() ? [] : holdAtApp(apps, 'uploading', { host: GOOGLE, method: 'PUT' })),
		...holdAtApp(apps, 'naming the file', { host: GOOGLE, method: 'PATCH' }),
		...holdAtApp(apps, 'writing the link', post(SHEETS, 'drive.google.com')),
	];

	test('at any node pays and stores nothing twice, and its row says how to go on', async () => {
		const stories = await Promise.all(
			HOLDS.map(async ({ at, begin }, index) => {
				const row = `row-${index}`;
				const own = apps.addSheet(`document-${row}`);
				own.fill([COLUMNS, [row, TEASER, `Prompt ${row};`]]);
				return { at, begin, row, sheet: own, example: await take(own) };
			}),
		);
		for (const { begin, example } of stories) {
			const held = begin();
			await example.start();
			await held;
		}
		real.n8n.kill();
		await real.n8n.waitForEnd();
		real.sandbox.clearFaults();
		await real.n8n.start();

		const read = ({ row, sheet: own }: (typeof stories)[number]) => {
			const [cells] = own.rows as { status: string; note: string }[];
			const paid = listPaid().filter((prompt) => prompt === `Prompt ${row};`).length;
			const stored = listFiles().filter((name) => name === `${row}.mp4`).length;
			expect(Math.max(paid, stored)).toBeLessThanOrEqual(1);
			return { status: cells?.status, note: cells?.note, paid, stored };
		};
		/** Runs the example again for each row whose video is not stored yet. */
		const runAll = async () => {
			const results = [];
			for (const story of stories.filter((each) => read(each).status !== 'stored')) {
				expect(readFailure(await story.example.run())).toEqual(SUCCESS);
				results.push({ ...story, ...read(story) });
			}
			return results;
		};

		for (const { at, row, sheet: own, status, note, paid, stored } of await runAll()) {
			// A person does what the notes say.
			if (status === 'stored') {
				expect([at, note, paid, stored]).toEqual([at, '', 1, 1]);
			} else if (status === 'making') {
				expect(note).toMatch(/n8n was stopped\. Then delete the status/);
				own.change(row, { status: '' });
			} else {
				expect([at, status]).toEqual([at, 'uploading']);
				expect(note).toMatch(/n8n was stopped\. Then look for "row-\d+" in Google Drive/);
				own.change(row, { status: stored === 1 ? 'stored' : 'upload' });
			}
		}
		for (const { at, row, sheet: own, status, note, paid } of await runAll()) {
			if (status === 'stored') continue;
			expect([at, status]).toEqual([at, 'check']);
			expect(note).toContain('already queued for this key, or may have been');
			if (paid === 1) own.change(row, { status: 'upload', video: findAddress(`Prompt ${row};`) });
		}
		// n8n was killed after the key was taken, and before the service had queued the video.
		const [never] = HOLDS.filter(({ at }) => at.startsWith('queuing the video, before'));
		await runAll();
		for (const story of stories) {
			const { status, paid, stored } = read(story);
			const expected = story.at === never?.at ? ['check', 0, 0] : ['stored', 1, 1];
			expect([story.at, status, paid, stored]).toEqual([story.at, ...expected]);
		}

		// A row whose video is stored is not taken again, nor is one that waits for a person.
		const readAll = () => [
			...[real.sandbox.requests.length, listFiles()],
			stories.map(({ sheet: own }) => own.rows),
		];
		const before = readAll();
		const again = await Promise.all(stories.map(async ({ example }) => await example.run()));
		expect(again.map(readFailure)).toEqual(stories.map(() => SUCCESS));
		expect(readAll()).toEqual(before);
	});
});
