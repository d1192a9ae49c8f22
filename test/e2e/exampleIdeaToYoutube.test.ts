import type { Execution } from '../../scripts/n8n/n8nTypes';
import { readVideoFile } from '../../sandbox/files/readVideoFile';
import { useApps } from '../support/e2e/apps/useApps';
import type { GoogleSheet } from '../support/e2e/apps/GoogleSheet';
import { type Hold, holdAtApp, holdAtService, holdReading } from '../support/e2e/holds';
import { type ModelReply, ScriptedModel } from '../support/e2e/ScriptedModel';
import { setUpExample, type ExampleSetUp } from '../support/e2e/setUpExample';
import { useRealN8n } from '../support/e2e/useRealN8n';

const TRIGGER = 'Every day at nine';
const TOUR = 'project-city-tour';
const FAILING = 'project-broken-storyboard';
const COLUMNS = [
	'id',
	'project',
	'idea',
	'status',
	'title',
	'description',
	'video',
	'link',
	'note',
];
const QUICK = { pendingMs: 300, processingMs: 300, renderingMs: 300 };
const AT_ONCE = { waitBetweenTries: 1 };
const TIMEOUT_MS = 180_000;
const MODEL = '@n8n/n8n-nodes-langchain.lmChatOpenAi';
const SHEETS = 'sheets.googleapis.com';
const GOOGLE = 'www.googleapis.com';

const apps = useApps('idea-to-youtube');
const { sheet, slack, youTube } = apps;
const real = useRealN8n('idea-to-youtube', { environment: apps.environment });
const model = new ScriptedModel();
afterAll(async () => {
	await apps.stop();
	await model.stop();
});

let choices: ExampleSetUp['choices'];
beforeAll(async () => {
	await model.start();
	choices = await apps.choose(real.client);
	const { id, name } = await real.client.createCredential({
		...{ name: 'Scripted model', type: 'openAiApi' },
		data: { apiKey: 'none', url: model.url },
	});
	choices[MODEL] = {
		parameters: { options: { maxRetries: 0 } },
		credentials: { openAiApi: { id, name } },
	};
	choices['n8n-nodes-video-generation.videoGeneration'] = {
		credentials: { videoGenerationApi: { id: real.credential.id, name: real.credential.name } },
	};
});
beforeEach(() => {
	real.sandbox.configure({ durations: QUICK });
});

/** What the model writes for a row. */
const write = (row: string) => {
	const output = { title: `Title ${row}`, description: `About ${row}`, prompt: `Prompt ${row};` };
	return JSON.stringify({ output });
};

/** Returns a row of the sheet; the model's texts are named after its ID. */
const idea = (id: string, status = '') => [id, TOUR, `An idea for ${id}`, status];

type Example = Awaited<ReturnType<typeof take>>;

/** Adds the example to n8n as a user does, on a sheet. */
async function take(from: GoogleSheet = sheet) {
	const content = setUpExample('idea-to-youtube', {
		choices: {
			...choices,
			'n8n-nodes-base.googleSheets': {
				...choices['n8n-nodes-base.googleSheets'],
				parameters: {
					...choices['n8n-nodes-base.googleSheets']?.parameters,
					...from.choice,
				},
			},
		},
		changes: {
			'Make and download the video': { waitOptions: { pollingInterval: 1, listingDelay: 1 } },
		},
		settings: Object.fromEntries(
			[
				'Get the rows of the sheet',
				'Write the texts',
				'Note that the video is being made',
				'Note that it is being uploaded',
				'Write the link to the row',
			].map((name) => [name, AT_ONCE]),
		),
	});
	const { id } = await real.client.createWorkflow(content);
	const start = async (replies: ModelReply[]) => {
		model.play(replies);
		return await real.client.runWorkflow(id, TRIGGER);
	};
	const run = async (...replies: ModelReply[]) =>
		await real.client.waitForExecution(await start(replies), TIMEOUT_MS);
	return { start, run };
}

const readFailure = ({ status, data }: Execution) => [status, data.resultData.error?.message];
const SUCCESS = ['success', undefined];
const listPaid = () => real.sandbox.charges.map(({ customPrompt }) => customPrompt);
const listTitles = () => youTube.videos.map(({ title }) => title);
const findAddress = (row: string) => {
	const items = real.sandbox.readState().queue;
	const item = items.find(({ customPrompt }) => customPrompt === `Prompt ${row};`);
	return `${real.sandbox.url}/files/${item?.videoId}.mp4`;
};

describe('The example that makes an idea a video on YouTube', () => {
	test('publishes one idea a run, and writes texts, address and link to its row', async () => {
		sheet.fill([COLUMNS, idea('old', 'published'), ['', TOUR, 'no ID'], idea('a'), idea('b')]);
		const { run } = await take();
		expect(readFailure(await run(write('a')))).toEqual(SUCCESS);
		expect(listPaid()).toEqual(['Prompt a;']);
		expect(youTube.videos).toEqual([
			{
				...{ title: 'Title a', description: 'About a', privacyStatus: 'unlisted' },
				content: readVideoFile('city-tour'),
			},
		]);
		const link = 'https://youtu.be/video-1';
		expect(sheet.rows).toMatchObject([
			{ id: 'old', status: 'published', link: '' },
			{ id: '', status: '' },
			{
				...{ id: 'a', status: 'published', title: 'Title a', description: 'About a' },
				...{ video: findAddress('a'), link, note: '' },
			},
			{ id: 'b', status: '' },
		]);
		expect(slack.texts).toEqual([`"Title a" is on YouTube: ${link}`]);

		expect(readFailure(await run(write('b')))).toEqual(SUCCESS);
		expect(readFailure(await run())).toEqual(SUCCESS);
		expect(listPaid()).toEqual(['Prompt a;', 'Prompt b;']);
		expect(listTitles()).toEqual(['Title a', 'Title b']);
	});

	test('tries the sheet and the model again, and then publishes the video once', async () => {
		sheet.fill([COLUMNS, idea('a')]);
		sheet.readsToFail = 1;
		sheet.writesToFail = 1;
		const { run } = await take();
		expect(readFailure(await run('no JSON', write('a')))).toEqual(SUCCESS);
		expect(sheet.rows).toMatchObject([{ status: 'published', note: '' }]);
		expect([listPaid(), listTitles(), slack.texts.length]).toEqual([
			...[['Prompt a;'], ['Title a'], 1],
		]);
	});

	test('says in the row and in the chat that the model failed, and goes on once the status is deleted', async () => {
		sheet.fill([COLUMNS, idea('a')]);
		const { run } = await take();
		await run('no JSON', 'no JSON', 'no JSON');
		expect(sheet.rows).toMatchObject([
			{
				status: 'failed',
				note: expect.stringMatching(
					/^The language model failed: .+No video was queued\./,
				) as string,
			},
		]);
		expect(slack.texts).toEqual([expect.stringMatching(/^Row a of the sheet needs you: The lang/)]);
		sheet.change('a', { status: '' });
		await run(write('a'));
		expect(sheet.rows).toMatchObject([{ status: 'published', note: '' }]);
		expect([listPaid(), listTitles()]).toEqual([['Prompt a;'], ['Title a']]);
	});

	test('makes the video of a refused row once, after its status is deleted', async () => {
		sheet.fill([COLUMNS, idea('a')]);
		real.sandbox.setCredits('main', 0);
		const { run } = await take();
		await run(write('a'));
		expect(sheet.rows).toMatchObject([
			{ status: 'check', note: expect.stringMatching(/credits.* delete the status/) as string },
		]);
		expect(slack.texts).toHaveLength(1);
		real.sandbox.setCredits('main', 10);
		sheet.change('a', { status: '' });
		await run(write('a'));
		expect(sheet.rows).toMatchObject([{ status: 'published', note: '' }]);
		expect([listPaid(), listTitles()]).toEqual([['Prompt a;'], ['Title a']]);
	});

	test('pays a row once whose video could not be generated, and says so', async () => {
		sheet.fill([COLUMNS, ['a', FAILING, 'An idea']]);
		const { run } = await take();
		await run(write('a'));
		expect(sheet.rows).toMatchObject([
			{ status: 'check', note: expect.stringMatching(/Queue ID: .+ change the id/) as string },
		]);
		sheet.change('a', { status: '' });
		await run(write('a'));
		expect(sheet.rows).toMatchObject([
			{ status: 'check', note: expect.stringContaining('already queued for this key') as string },
		]);
		expect([listPaid(), listTitles()]).toEqual([['Prompt a;'], []]);
	});

	test('uploads a video again that YouTube refused, without making it again', async () => {
		sheet.fill([COLUMNS, idea('a')]);
		youTube.isOverQuota = true;
		const { run } = await take();
		await run(write('a'));
		expect(sheet.rows).toMatchObject([
			{
				...{ status: 'check', video: findAddress('a') },
				note: expect.stringMatching(/^YouTube: .+YouTube Studio.+'upload'/) as string,
			},
		]);
		expect(slack.texts).toEqual([expect.stringContaining('YouTube Studio')]);
		youTube.isOverQuota = false;
		sheet.change('a', { status: 'upload' });
		expect(readFailure(await run())).toEqual(SUCCESS);
		expect(sheet.rows).toMatchObject([{ status: 'published', note: '' }]);
		expect(youTube.videos).toMatchObject([{ title: 'Title a', description: 'About a' }]);
		expect(listPaid()).toEqual(['Prompt a;']);
	});

	test('says that the address of a video to upload does not lead to one', async () => {
		const address = `${real.sandbox.url}/files/unknown.mp4`;
		sheet.fill([COLUMNS, [...idea('a', 'upload'), 'Title a', 'About a', address]]);
		const { run } = await take();
		await run();
		expect(sheet.rows).toMatchObject([
			{ status: 'check', video: address, note: expect.stringContaining('address') as string },
		]);
		expect([listPaid(), listTitles(), slack.texts.length]).toEqual([[], [], 1]);
	});
});

describe('A kill of n8n in the example that makes an idea a video on YouTube', () => {
	const post = (host: string, containing: string) => ({ host, method: 'POST', containing });
	const service = () => real.sandbox;
	const HOLDS: Hold[] = [
		...holdReading(holdAtApp(apps, 'reading the sheet', { host: SHEETS, method: 'GET' })),
		...holdAtApp(apps, 'noting "making"', post(SHEETS, '"making"')),
		...holdAtService(service, 'queuing the video', 'queue.add'),
		...holdReading(holdAtService(service, 'waiting for the video', 'queue.getProgress')),
		...holdReading(holdAtService(service, 'downloading the video', 'video.file')),
		...holdAtApp(apps, 'noting "uploading"', post(SHEETS, '"uploading"')),
		...holdAtApp(apps, 'beginning the upload', post(GOOGLE, '/upload/youtube')),
		...holdAtApp(apps, 'uploading', { host: GOOGLE, method: 'PUT' }),
		...holdAtApp(apps, 'writing the link', post(SHEETS, 'youtu.be')),
		...holdAtApp(apps, 'telling the chat', post('slack.com', '')),
	];

	/** Holds a run of each row, one after another, and then kills n8n in all of them. */
	async function killInAll(rows: { row: string; begin?: Hold['begin']; example: Example }[]) {
		for (const { row, begin, example } of rows) {
			if (begin) {
				const held = begin();
				await example.start([write(row)]);
				await held;
				continue;
			}
			await new Promise<void>((resolve, reject) => {
				const neverReply = async () => {
					resolve();
					return await new Promise<string>(() => undefined);
				};
				example.start([neverReply]).catch(reject);
			});
		}
		real.n8n.kill();
		await real.n8n.waitForEnd();
		real.sandbox.clearFaults();
		await real.n8n.start();
	}

	test('at any node pays and publishes nothing twice, and its row says how to go on', async () => {
		const moments = [...HOLDS, { at: 'writing the texts', begin: undefined }];
		const rows = await Promise.all(
			moments.map(async ({ at, begin }, index) => {
				const row = `row-${index}`;
				const own = apps.addSheet(`document-${index}`);
				own.fill([COLUMNS, idea(row)]);
				return { at, begin, row, sheet: own, example: await take(own) };
			}),
		);
		await killInAll(rows);

		const read = ({ row, sheet: own }: (typeof rows)[number]) => {
			const [cells] = own.rows as { status: string; note: string }[];
			const paid = listPaid().filter((prompt) => prompt === `Prompt ${row};`).length;
			const published = listTitles().filter((title) => title === `Title ${row}`).length;
			const told = slack.texts.filter((text) => text.includes(`"Title ${row}" is on`)).length;
			expect(Math.max(paid, published, told)).toBeLessThanOrEqual(1);
			return { status: cells?.status, note: cells?.note, paid, published };
		};
		/** Runs the example again for each row whose video is not published yet. */
		const runAll = async () => {
			const results = [];
			for (const story of rows.filter((each) => read(each).status !== 'published')) {
				expect(readFailure(await story.example.run(write(story.row)))).toEqual(SUCCESS);
				results.push({ ...story, ...read(story) });
			}
			return results;
		};

		for (const { at, row, sheet: own, status, note, paid, published } of await runAll()) {
			// A person does what the notes say.
			if (status === 'published') {
				expect([at, note, paid, published]).toEqual([at, '', 1, 1]);
			} else if (status === 'making') {
				expect(note).toMatch(/n8n was stopped\. Then delete the status/);
				own.change(row, { status: '' });
			} else {
				expect([at, status]).toEqual([at, 'uploading']);
				expect(note).toMatch(/n8n was stopped\. Then look for the title in YouTube Studio/);
				own.change(row, { status: published === 1 ? 'published' : 'upload' });
			}
		}
		for (const { at, row, sheet: own, status, note, paid } of await runAll()) {
			if (status === 'published') continue;
			expect([at, status]).toEqual([at, 'check']);
			expect(note).toContain('already queued for this key, or may have been');
			if (paid === 1) own.change(row, { status: 'upload', video: findAddress(row) });
		}
		// n8n was killed after the key was taken, and before the service had queued the video.
		const [never] = HOLDS.filter(({ at }) => at.startsWith('queuing the video, before'));
		await runAll();
		for (const story of rows) {
			const { status, paid, published } = read(story);
			const expected = story.at === never?.at ? ['check', 0, 0] : ['published', 1, 1];
			expect([story.at, status, paid, published]).toEqual([story.at, ...expected]);
		}

		// A row that is published is not taken again, nor is one that waits for a person.
		const readAll = () => [
			...[real.sandbox.requests.length, listTitles(), [...slack.texts]],
			rows.map(({ sheet: own }) => own.rows),
		];
		const before = readAll();
		const again = await Promise.all(rows.map(async ({ example }) => await example.run()));
		expect(again.map(readFailure)).toEqual(rows.map(() => SUCCESS));
		expect([model.requests, readAll()]).toEqual([[], before]);
	});
});
