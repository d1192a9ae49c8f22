import axios from 'axios';
import { readVideoFile } from '../../sandbox/files/readVideoFile';
import type { Execution } from '../../scripts/n8n/n8nTypes';
import { waitFor } from '../../scripts/waitFor';
import { pressButton } from '../support/e2e/apps/pressButton';
import { useApps } from '../support/e2e/apps/useApps';
import { type Hold, holdAtApp, holdAtService, holdReading } from '../support/e2e/holds';
import { PACKAGE } from '../support/e2e/PLACES';
import { setUpExample } from '../support/e2e/setUpExample';
import { useRealN8n } from '../support/e2e/useRealN8n';

const PROJECT = 'project-city-tour';
const FORM = 'video-idea';
const IDEA = 'The sea at dawn';
const CHANNEL = 'C01';
const ADD = 'Make and download the video';
const TIMEOUT_MS = 180_000;
const QUICK = { pendingMs: 300, processingMs: 300, renderingMs: 300 };
const [APPROVE, DECLINE] = ['Make the video', 'Decline'];

const apps = useApps('ask-before-spending');
const { slack } = apps;
const real = useRealN8n('ask-before-spending', { environment: apps.environment });
afterAll(apps.stop);

let workflowId: string;
beforeAll(async () => {
	const { client, credential } = real;
	const { id, name } = credential;
	const chosen = await apps.choose(client);
	const { credentials } = chosen['n8n-nodes-base.slack'] ?? {};
	const example = setUpExample('ask-before-spending', {
		choices: {
			'n8n-nodes-base.slack': { credentials },
			[`${PACKAGE}.videoGeneration`]: { credentials: { videoGenerationApi: { id, name } } },
		},
		changes: {
			...Object.fromEntries(
				[
					'Ask before spending',
					'Send the link instead',
					'Say what went wrong',
					'Say that it was declined',
				].map((node) => [node, slack.choice]),
			),
			'Note the request': {
				assignments: {
					assignments: [
						{ id: 'project', name: 'project', type: 'string', value: PROJECT },
						{ id: 'credits', name: 'credits', type: 'number', value: 1 },
						{ id: 'request', name: 'request', type: 'string', value: '={{ $execution.id }}' },
					],
				},
			},
			[ADD]: { waitOptions: { pollingInterval: 1, listingDelay: 1, timeout: 60 } },
		},
		settings: { [ADD]: { retryOnFail: true, maxTries: 3, waitBetweenTries: 100 } },
	});
	const workflow = await client.createWorkflow(example);
	workflowId = workflow.id;
	await client.activateWorkflow(workflow);
});
beforeEach(() => {
	real.sandbox.configure({ durations: QUICK });
});

/** Sends the form as a person does. */
async function sendIdea(idea = IDEA, person = 'Ada'): Promise<void> {
	const form = new FormData();
	form.append('field-0', person);
	form.append('field-1', idea);
	const address = `${real.client.address}/form/${FORM}`;
	await waitFor('the form', async () => {
		const options = { proxy: false, validateStatus: () => true } as const;
		return (await axios.post(address, form, options)).status === 200;
	});
}

const findNewest = async (): Promise<Execution> => {
	const newest = (await real.n8n.listExecutions(workflowId)).at(-1);
	if (!newest) throw new Error('There is no execution');
	return newest;
};

/** @param id of the execution; by default, the newest one */
async function waitForStatus(statuses: string[], id?: string): Promise<Execution> {
	return await waitFor(
		`an execution that is ${statuses.join(' or ')}`,
		async () => {
			const look = id === undefined ? findNewest() : real.client.getExecution(id);
			const execution = await look.catch(() => undefined);
			return execution && statuses.includes(execution.status) && execution;
		},
		TIMEOUT_MS,
	);
}

/** Sends an idea, and waits until its question is in the chat. */
async function sendAndBeAsked(idea?: string, person?: string): Promise<void> {
	await sendIdea(idea, person);
	await waitForStatus(['waiting']);
}

const press = async (link: string) => await pressButton(real.client.address, link);

async function answer(label: string): Promise<Execution> {
	expect(await press(slack.findButton(label))).toBe(200);
	return await waitForStatus(['success', 'error']);
}

const countCharges = () => real.sandbox.charges.length;
const readFailure = ({ data }: Execution) => data.resultData.error?.message;

describe('The example that asks before spending', () => {
	test('asks with the prompt, the price and the credits left, and sends the video back once it is approved', async () => {
		await sendAndBeAsked();
		expect(slack.texts).toHaveLength(1);
		expect(slack.texts[0]).toMatch(/Ada asks for a video, request \d+:\nThe sea at dawn/);
		expect(slack.texts[0]).toContain('Price in credits: 1. Credits left: 100.');
		expect(countCharges()).toBe(0);

		const execution = await answer(APPROVE);
		expect([execution.status, readFailure(execution)]).toEqual(['success', undefined]);
		expect(real.sandbox.charges).toMatchObject([{ projectId: PROJECT, customPrompt: IDEA }]);
		expect(slack.files).toMatchObject([{ channel: CHANNEL, comment: `For Ada: ${IDEA}` }]);
		expect(slack.files[0]?.upload.includes(readVideoFile('city-tour'))).toBe(true);
		expect(slack.texts).toHaveLength(1);
	});

	test('queues nothing that is declined, and says so', async () => {
		await sendAndBeAsked();
		expect((await answer(DECLINE)).status).toBe('success');
		expect(countCharges()).toBe(0);
		expect(slack.files).toEqual([]);
		expect(slack.texts[1]).toMatch(/^For Ada, request \d+: declined\. No video is made/);
	});

	test('queues one video, however often its buttons are pressed', async () => {
		await sendAndBeAsked();
		const [approve, decline] = [slack.findButton(APPROVE), slack.findButton(DECLINE)];
		await Promise.all([press(approve), press(approve), press(decline)]);
		await waitForStatus(['success']);
		await press(approve);
		await press(decline);
		expect(countCharges()).toBeLessThanOrEqual(1);
		expect(slack.files).toHaveLength(countCharges());
		expect(slack.messages).toHaveLength(2 - countCharges());
	});

	test('asks also when the credits cannot be read', async () => {
		real.sandbox.addFault({ kind: 'status', status: 401, operation: 'account.get' });
		await sendAndBeAsked();
		expect(slack.texts[0]).toContain('Credits left: could not be read');
		await answer(APPROVE);
		expect([countCharges(), slack.files.length]).toEqual([1, 1]);
	});

	test('fails, and queues nothing, if the question cannot be asked', async () => {
		slack.isDown = true;
		await sendIdea();
		expect((await waitForStatus(['error'])).status).toBe('error');
		expect(countCharges()).toBe(0);
	});

	test('sends the link if Slack does not take the file', async () => {
		await sendAndBeAsked();
		slack.isFull = true;
		expect((await answer(APPROVE)).status).toBe('success');
		expect([countCharges(), slack.files.length]).toEqual([1, 0]);
		expect(slack.texts[1]).toMatch(/the video is ready, but it may not have arrived in Slack: /);
		expect(slack.texts[1]).toContain(`${real.sandbox.url}/files/`);
	});

	test('goes on by itself with the video that was queued if its download fails', async () => {
		await sendAndBeAsked();
		real.sandbox.addFault({ kind: 'status', status: 404, operation: 'video.file', times: 1 });
		expect((await answer(APPROVE)).status).toBe('success');
		expect([countCharges(), slack.files.length]).toEqual([1, 1]);
		expect(slack.texts).toHaveLength(1);
	});

	test('says that nothing was queued if the service refuses the video', async () => {
		await sendAndBeAsked();
		real.sandbox.setCredits('main', 0);
		expect((await answer(APPROVE)).status).toBe('success');
		expect(countCharges()).toBe(0);
		expect(slack.texts[1]).toMatch(/There are not enough credits for this video\n.*not queued/s);
	});

	test('says that the video may be paid for if the response is lost, and queues it only once', async () => {
		await sendAndBeAsked();
		real.sandbox.addFault({ kind: 'reset', phase: 'after', operation: 'queue.add' });
		expect((await answer(APPROVE)).status).toBe('success');
		expect(countCharges()).toBe(1);
		expect(slack.texts[1]).toContain('may have been queued and paid for');
	});

	test('tells the queue ID of a video that could not be generated', async () => {
		await sendAndBeAsked();
		real.sandbox.changeProject(PROJECT, { fails: true });
		expect((await answer(APPROVE)).status).toBe('success');
		const [charge] = real.sandbox.charges;
		expect(slack.texts[1]).toContain(`Queued and paid for, queue ID: ${charge?.queueId}`);
		expect(slack.files).toEqual([]);
	});
});

describe('A kill of n8n in the example that asks before spending', () => {
	const slackPost = (containing: string) => ({ host: 'slack.com', method: 'POST', containing });
	const service = () => real.sandbox;
	const HOLDS_BEFORE_ANSWER: Hold[] = [
		...holdReading(holdAtService(service, 'reading the credits', 'account.get')),
		...holdAtApp(apps, 'asking', slackPost('chat.postMessage')),
	];
	const HOLDS_AFTER_ANSWER: Hold[] = [
		...holdAtService(service, 'queuing the video', 'queue.add'),
		...holdReading(holdAtService(service, 'waiting for the video', 'queue.getProgress')),
		...holdReading(holdAtService(service, 'downloading the file', 'video.file')),
		...holdAtApp(apps, 'posting the file', slackPost('files.completeUploadExternal')),
	];
	const ANSWER = 'waiting for the answer';

	interface Request {
		id: string;
		person: string;
		idea: string;
		link?: string;
	}

	/** Sends one idea for each moment, and holds the execution of each idea at its moment. */
	async function holdAll(): Promise<Request[]> {
		const requests: Request[] = [];
		const add = async (request: Omit<Request, 'id'>) => {
			requests.push({ ...request, id: (await findNewest()).id });
		};
		for (const { at: idea, begin } of HOLDS_BEFORE_ANSWER) {
			const person = `Person ${requests.length}`;
			const held = begin();
			await sendIdea(idea, person);
			await held;
			await add({ person, idea });
		}
		for (const { at: idea, begin } of [...HOLDS_AFTER_ANSWER, { at: ANSWER, begin: undefined }]) {
			const person = `Person ${requests.length}`;
			await sendAndBeAsked(idea, person);
			const link = slack.findButton(APPROVE);
			const held = begin?.();
			if (held) await press(link);
			await held;
			await add({ person, idea, link });
		}
		return requests;
	}

	/** Does all that could make an execution go on: the button again, and Executions > Retry. */
	async function goOn({ id, link }: Request): Promise<void> {
		const { status } = await waitForStatus(['crashed', 'waiting', 'error'], id);
		if (link !== undefined) await press(link);
		const retry = status === 'waiting' ? id : await real.client.retryExecution(id, false);
		const ends = ['success', 'error', 'crashed'];
		const ended = await waitForStatus(status === 'waiting' ? ends : [...ends, 'waiting'], retry);
		if (ended.status !== 'waiting') return;
		await press(slack.findButton(APPROVE));
		await waitForStatus(ends, retry);
	}

	test('at any node pays and publishes at most once when it is run again, and goes on if it was waiting for the answer', async () => {
		const requests = await holdAll();
		real.n8n.kill();
		await real.n8n.waitForEnd();
		real.sandbox.clearFaults();
		await real.n8n.start();

		for (const request of requests) {
			await goOn(request);
			const { person, idea } = request;
			const paid = real.sandbox.charges.filter(({ customPrompt }) => customPrompt === idea).length;
			const posted = slack.files.filter(
				({ comment }) => comment === `For ${person}: ${idea}`,
			).length;
			expect(Math.max(paid, posted)).toBeLessThanOrEqual(1);
			const told = slack.texts.filter((text) => text.startsWith(`For ${person}, request`)).at(-1);
			const isTold = told?.includes('Look for the video') ?? false;
			expect([idea, isTold || posted === paid]).toEqual([idea, true]);
			if (idea === ANSWER) expect([paid, posted]).toEqual([1, 1]);
		}
	});
});
