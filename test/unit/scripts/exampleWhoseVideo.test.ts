import * as fc from 'fast-check';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { compileFunction } from 'node:vm';

/** The code of the example "Queue now, finish later" that decides which row a video belongs to. */
const { nodes } = JSON.parse(
	readFileSync(join('examples', 'queue-now-finish-later.json'), 'utf8'),
) as { nodes: { name: string; parameters: { jsCode: string } }[] };
const CODE = nodes.find(({ name }) => name === 'Find out whose video it is')?.parameters.jsCode;

/**
 * `npm run test:long` sets a larger number, with a new seed each time; a failure prints its seed.
 */
const LONG_RUNS = Number(process.env.HISTORIES ?? 0);
const SETTINGS = LONG_RUNS > 0 ? { numRuns: LONG_RUNS } : { numRuns: 1_000, seed: 3 };

const HOURS = 24;
const START = Date.UTC(2026, 0, 1);
const MINUTE_MS = 60_000;
const PROJECTS = 2;
const LOOKS = 2;
/** The difference between a night and the longer time after which a row is given up. */
const NIGHT_LACKS_MS = 10 * MINUTE_MS;

interface Row {
	id: number;
	projectId: string;
	status: string;
	queueId?: string;
	queuedAt: string;
	videoIds?: string;
	rowIds?: string;
	videoUrl?: string;
}

interface Decision {
	id: number;
	was: string;
	status: string;
	videoIds: string;
}

/** The state of a row's add in the service, which the table may not know. */
interface Item {
	state: 'running' | 'completed' | 'failed' | 'cleared';
	createdAt: number;
	video?: { id: string; url: string; projectId: string; createdAt: string };
	isLogged: boolean;
}

/**
 * A run of the workflow in progress: it reads the videos, then the rows, then the progress, and
 * writes row by row.
 */
interface Look {
	videos?: object[];
	rows?: Row[];
	progress?: object[];
	decisions?: Decision[];
}

interface Step {
	action: (typeof ACTIONS)[number];
	/** Selects the row, the project or the run. */
	pick: number;
	minutes: number;
}

const ACTIONS = [
	'mark',
	'accept',
	'note',
	'end',
	'end',
	'log',
	'fail',
	'clear',
	'look',
	'look',
	'look',
	'kill',
	'night',
] as const;

class World {
	now = START;
	readonly rows: Row[] = [];
	readonly items = new Map<number, Item>();
	private readonly looks: Look[] = Array.from({ length: LOOKS }, () => ({}));

	playAll(actions: string, pick = 0): void {
		for (const action of actions.split(' ') as Step['action'][]) {
			this.play({ action, pick, minutes: 0 });
		}
	}

	play({ action, pick, minutes }: Step): void {
		this.now += minutes * MINUTE_MS;
		const row = this.rows[pick % this.rows.length];
		const item = row && this.items.get(row.id);
		const end = (state: Item['state']) => {
			if (item?.state === 'running') item.state = state;
		};
		if (action === 'mark') this.mark(`project-${pick % PROJECTS}`);
		else if (action === 'look') this.look(pick % LOOKS, 1 + minutes);
		else if (action === 'kill') this.looks[pick % LOOKS] = {};
		else if (action === 'night') this.passNight();
		else if (action === 'accept' && row && !item) this.accept(row);
		else if (action === 'note' && row?.status === 'queuing' && item) {
			row.status = 'queued';
			row.queueId = `queue-${row.id}`;
			row.queuedAt = new Date(item.createdAt).toISOString();
		} else if (action === 'fail') end('failed');
		else if (action === 'clear') end('cleared');
		else if (action === 'log' && item?.video) item.isLogged = true;
		else if (action === 'end' && row && item?.state === 'running') {
			const [id, createdAt] = [`video-${row.id}`, new Date(this.now).toISOString()];
			end('completed');
			item.video = { id, url: `https://x/${id}`, projectId: row.projectId, createdAt };
		}
	}

	/** Takes all steps of a run. */
	lookToTheEnd(): void {
		this.looks[0] = {};
		for (let step = 0; step < 5; step += 1) this.look(0, this.rows.length);
	}

	private mark(projectId: string): void {
		const queuedAt = new Date(this.now).toISOString();
		this.rows.push({ id: this.rows.length, projectId, status: 'queuing', queuedAt });
	}

	/**
	 * Lets a night pass: no execution and no generation lasts longer, and all videos are listed in
	 * the morning.
	 */
	private passNight(): void {
		for (const item of this.items.values()) {
			if (item.state === 'running') item.state = 'failed';
			item.isLogged = Boolean(item.video);
		}
		this.looks.splice(0, LOOKS, {}, {});
		this.now += HOURS * 60 * MINUTE_MS - NIGHT_LACKS_MS;
	}

	private accept({ id, queuedAt }: Row): void {
		if (this.now - Date.parse(queuedAt) > NIGHT_LACKS_MS) return;
		this.items.set(id, { state: 'running', createdAt: this.now, isLogged: false });
	}

	/** Takes the next step of a run; the last step writes `rowsAtOnce` rows at a time. */
	private look(index: number, rowsAtOnce: number): void {
		const look = this.looks[index] ?? {};
		const { videos, rows, progress } = look;
		if (!videos) {
			const logged = [...this.items.values()].filter(({ isLogged }) => isLogged);
			look.videos = logged.map(({ video }) => ({ ...video }));
		} else if (!rows) look.rows = this.rows.map((row) => ({ ...row }));
		else if (!progress) look.progress = rows.filter(isOpen).map((row) => this.getProgress(row));
		else {
			look.decisions ??= decide(videos, rows, progress, this.now);
			for (const { id, was, ...decision } of look.decisions.splice(0, rowsAtOnce)) {
				const row = this.rows[id];
				if (row?.status === was) Object.assign(row, decision);
			}
			if (look.decisions.length === 0) this.looks[index] = {};
		}
	}

	private getProgress({ id, queueId }: Row): object {
		const { state } = this.items.get(id) ?? {};
		if (!queueId) return { error: "'Queue ID' is empty", message: '' };
		if (state === 'cleared') return { error: 'not found', message: '', details: {} };
		return { queueId, status: state === 'running' ? 'rendering' : state };
	}
}

const isOpen = ({ status }: Row) => ['queuing', 'queued'].includes(status);

/** Runs the code as n8n's Code node does. */
function decide(videos: object[], rows: Row[], progress: object[], now: number): Decision[] {
	const outputs: Record<string, object[]> = {
		'Set how many hours to wait': [{ hours: HOURS }],
		'Get the finished videos': videos,
		'Get the rows in use': rows,
		'Keep rows without a video': rows.filter(isOpen),
	};
	const give = (values: object[] = []) => {
		const items = values.map((json) => ({ json }));
		return { all: () => items, first: () => items[0] };
	};
	jest.setSystemTime(now);
	const run = compileFunction(CODE ?? '', ['$', '$input', 'Date']) as (...inputs: unknown[]) => {
		json: Decision;
	}[];
	return run((name: string) => give(outputs[name]), give(progress), Date).map(({ json }) => json);
}

beforeAll(() => {
	jest.useFakeTimers();
});
afterAll(() => {
	jest.useRealTimers();
});

const steps = fc.array(
	fc.record<Step>({
		action: fc.constantFrom(...ACTIONS),
		pick: fc.nat(11),
		minutes: fc.nat(5),
	}),
	{ minLength: 20, maxLength: 80 },
);

describe('The example that queues now and finishes later', () => {
	it('never gives a row the video of another one, in any order of events', () => {
		fc.assert(
			fc.property(steps, (history) => {
				const world = new World();
				for (const step of history) world.play(step);
				for (const { id, status, videoIds = '' } of world.rows) {
					if (status === 'finished') expect(videoIds).toBe(world.items.get(id)?.video?.id);
				}
			}),
			SETTINGS,
		);
	}, 3_600_000);

	it('does not choose between two videos, of which one was made elsewhere', () => {
		const [projectId, createdAt] = ['project', new Date(START).toISOString()];
		const row = { id: 0, projectId, status: 'queued', queueId: 'queue', queuedAt: createdAt };
		const videos = ['a', 'b'].map((id) => ({ id, url: `https://x/${id}`, projectId, createdAt }));
		expect(decide(videos, [row], [{ status: 'completed' }], START)).toMatchObject([
			{ id: 0, status: 'ambiguous', videoIds: 'a b' },
		]);
	});

	it.each([
		['its queue ID was written while the workflow looked', 'look look look note look look'],
		['the workflow was killed while it wrote', 'look look look look kill look'],
	])('keeps the videos in question for a row that it could not mark, for %s', (_title, looks) => {
		const world = new World();
		world.playAll('mark mark accept end log');
		world.playAll('accept end log', 1);
		world.playAll(looks);
		expect(world.rows.filter(isOpen)).toHaveLength(1);
		expectAllDecided(world);
	});

	it('leaves no row undecided once its time is over, and marks each with its video', () => {
		fc.assert(
			fc.property(steps, (history) => {
				const world = new World();
				for (const step of history) world.play(step);
				expectAllDecided(world);
			}),
			SETTINGS,
		);
	}, 3_600_000);
});

/** Lets the time of all rows pass, lists every video, and expects every row to be decided. */
function expectAllDecided(world: World): void {
	for (const item of world.items.values()) {
		if (item.state === 'running') item.state = 'failed';
		if (item.video) item.isLogged = true;
	}
	world.now += HOURS * 60 * MINUTE_MS + 1;
	world.lookToTheEnd();
	for (const { id, status, videoIds = '' } of world.rows) {
		const { video } = world.items.get(id) ?? {};
		if (!video) expect(status).not.toBe('finished');
		else
			expect([status, videoIds.split(' ')]).toEqual([
				expect.stringMatching(/finished|ambiguous/),
				expect.arrayContaining([video.id]),
			]);
	}
	expect(world.rows.filter(isOpen)).toEqual([]);
}
