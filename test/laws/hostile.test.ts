import { subscribe, unsubscribe } from 'node:diagnostics_channel';
import type { ClientRequest, IncomingMessage } from 'node:http';
import { Logger } from '@n8n/backend-common';
import { Container } from '@n8n/di';
import fc from 'fast-check';
import { stringify } from 'flatted';
import type { IDataObject, INodeParameters, NodeApiError } from 'n8n-workflow';
import type { Operation } from '../../sandbox/domain/model';
import type { FaultSpec } from '../../sandbox/faults/FaultSpec';
import { readVideoFile } from '../../sandbox/files/readVideoFile';
import { ActiveTrigger, TRIGGER_TYPE } from '../support/n8nServer/ActiveTrigger';
import {
	createLoadOptionsContext,
	searchList,
} from '../support/n8nServer/createLoadOptionsContext';
import {
	ALL_OPERATIONS,
	type ApiOperation,
	PROJECT,
	PROMISED,
	toRequest,
} from '../support/engine/OPERATIONS';
import { ERROR_OUTPUT } from '../support/engine/runNode';
import { runTools, WAYS } from '../support/engine/runTools';
import { passTime, runWithoutWaiting } from '../support/engine/runWithoutWaiting';
import { useBinaryStore } from '../support/engine/useBinaryStore';
import { useFileHost } from '../support/engine/useFileHost';
import { useSandbox } from '../support/engine/useSandbox';
import { decodeKey, KEY_WRITERS } from '../support/KEY_WRITERS';
import { testPlans } from './testPlans';

/*
 * A service that means harm: any value, or any text, in any field and any header of any response. It can spoil its own
 * answers, but nothing else: what n8n shows holds none of its markup and nowhere the key; no error is long, and nothing
 * holds n8n up; requests go to the Base URL and to the addresses of videos alone; and each item ends.
 *
 * Not drawn: connections that break, stall or send slowly (random.test.ts, connections.test.ts, download.test.ts);
 * a packed body that holds another one; lists of more than a megabyte that are accepted (`npm run bench -- responses`);
 * what n8n itself shows of the credential's test; headers that Node.js cannot send; a key
 * that is written in a way that no serializer has, which the service could always find; errors that list the videos of
 * many items; who gets which video (random.test.ts).
 */

/** Signs that serializers escape. */
const KEY = 'sk-live/Zm9v+YmFy=="<&%z9';

const WRITERS = Object.values(KEY_WRITERS);

/** Another host, which stands for any address that a text of the service names. */
const EVIL = 'http://evil.test';
/** What requests of that host may ask for: what the service calls the address of a video, and where that redirects. */
const ADDRESS = `${EVIL}/address`;
const REDIRECTED = `${EVIL}/redirected`;
const LINK = `${EVIL}/link`;

const ALLOWED = /^\/(address|redirected)\b/;
const FILE = readVideoFile('product-teaser');
const DAY_MS = 24 * 3_600_000;

/** A text that begins so is repeated up to a megabyte, once it is sent. */
const LONG = '[long]';
const LONG_LENGTH = 1_000_000;

const of = fc.constantFrom;
const key = fc.nat(WRITERS.length).map((way) =>
	// The last way is all of them in turn.
	KEY.split('')
		.map((sign, i) => WRITERS[way === WRITERS.length ? i % way : way]?.(sign))
		.join(''),
);
const markup = of(
	`<a href="${LINK}">Log in again</a>`,
	`<img src="${LINK}" onerror=alert(1)>`,
	`<a href=${LINK}`,
	...['<script>alert(1)</script>', '<<b>a ', '<!--', '</', '<\u0000a href=x', '<?', '<b<i>a x='],
);
const expression = of('={{ $json }}', '{{ $("Input").first().json }}', '=', '{{', '=1');
const oddity = of(
	`see ${LINK} or [this](${LINK}) ![](${LINK})`,
	...['${x}', '{queueId}', '$&', '&lt;a&gt;', '"queueId":"q"', '"', '\\', '%', '&', '/', '?', '#'],
	...['\ud800', '\udc00\ud800', '\u0000', '\u202e', '\u2028', '\r\n', '\t', '\u001b[31m', '🎬'],
	...['canceled', 'success', 'pending', 'completed', 'failed', 'credits', 'null', 'undefined'],
	...['..', '../../etc/passwd', ' ', '', 'javascript:alert(1)', 'file:///etc/passwd', '1e999'],
	...['9'.repeat(20), '-1', '0', '2026-01-15T12:00:00Z', '9999-12-31T23:59:59Z', '__proto__'],
);
/** What looks like the key for long, and is not. */
const almostKey = of(KEY.slice(0, 3), KEY.slice(0, -1), encodeURIComponent(KEY.slice(0, -1)));
const piece = fc.oneof(markup, key, almostKey, expression, oddity);
const text = fc
	.tuple(fc.array(piece, { minLength: 1, maxLength: 3 }), fc.nat(11))
	.map(([pieces, roll]) => (roll === 0 ? LONG : '') + pieces.join(''));
const number = of(0, -1, 1.5, 2 ** 53, -(2 ** 63), 1e308, 1_768_478_400, 1_768_478_400_000);
const { value } = fc.letrec<{ value: unknown }>((tie) => ({
	value: fc.oneof(
		{ depthSize: 'small' },
		{ weight: 6, arbitrary: text },
		{ weight: 1, arbitrary: number },
		{ weight: 1, arbitrary: of(null, true, false) },
		{ weight: 1, arbitrary: fc.array(tie('value'), { maxLength: 3 }) },
		{ weight: 1, arbitrary: fc.dictionary(text, tie('value'), { maxKeys: 3 }) },
	),
}));

/** The fields of a response beside the one that it promises. */
const FIELDS: Partial<Record<Operation, string[]>> = {
	'queue.add': listPaths('newQueueItem', 'queueId', 'projectId', 'createdAt'),
	'queue.getProgress': listPaths('details', 'projectId', 'message', 'queueId'),
	'video.getAll': listPaths('videos.0', 'id', 'projectId', 'createdAt', 'url'),
	'project.getAll': listPaths('projects.0', 'id', 'name', 'createdAt'),
	'account.get': [...listPaths('usage', 'remainingCredits', 'name'), 'name', 'email'],
};
function listPaths(holder: string, ...names: string[]) {
	return [...names, 'status', 'videoUrl', 'generationProgress', 'error'].map(
		(name) => `${holder}.${name}`,
	);
}
const ENVELOPE = ['status', 'message', 'error', 'errors', 'detail', 'queueId', 'statusCode'];

/** Headers as Node.js can send them. */
const headerText = text.map((each) => each.replace(LONG, '').replace(/[^\x20-\x7e]/g, ''));
const header = fc.oneof(
	fc.tuple(of('etag', 'etag', 'content-type', 'set-cookie', 'refresh', 'date', 'link'), headerText),
	fc.tuple(of('retry-after'), fc.oneof(of('0', '5', '1e9', '999999999', '-1'), headerText)),
	fc.tuple(of('content-encoding'), of('gzip', 'identity', 'x')),
);
const headers = fc
	.array(header, { minLength: 1, maxLength: 3 })
	.map((all) => Object.fromEntries(all) as Record<string, string>);

const STATUSES = [200, 200, 201, 206, 300, 400, 401, 402, 403, 404, 407, 409, 429, 500, 501, 503];

/** Responses that are packed, too long, without end, or nested too deep to be saved. */
const heavy = fc
	.oneof(
		fc.record({ kind: fc.constant('packedBody' as const), encoding: of('gzip', 'deflate', 'br') }),
		// As much as a list may have at most, and more.
		fc.record({
			kind: fc.constant('packedBody' as const),
			encoding: of('gzip'),
			times: of(1, 17),
		}),
		fc.record({
			kind: fc.constant('endlessBody' as const),
			pieceBytes: of(1_000_000),
			delayMs: of(0),
		}),
		fc.record({ kind: fc.constant('deepField' as const), levels: of(50, 200, 100_000) }),
	)
	.map((fault): FaultSpec[] => [fault]);

/** What the service does to the response to a request: once, or always. */
function attackOn(operation: Operation): fc.Arbitrary<FaultSpec[]> {
	const isFile = operation === 'video.file';
	const own = isFile ? [] : [PROMISED[operation], ...(FIELDS[operation] ?? [])];
	const address = of(ADDRESS, `${ADDRESS}?signature=s`, ` ${ADDRESS} `);
	const changed = of(...own, ...own, ...own, ...ENVELOPE).chain((field) =>
		(/\.(url|videoUrl)$/.test(field) ? fc.oneof(value, address) : value).map(
			(each): FaultSpec[] => [{ kind: 'changedField', field, value: each }],
		),
	);
	// In the form of an error of the API.
	const refused = fc
		.tuple(of(200, 400, 401, 402, 404, 500), of(...ENVELOPE), text)
		.map(([status, field, words]): FaultSpec[] => [
			{ kind: 'status', status, body: { status: 'error', [field]: words } },
		]);
	const answered = fc
		.tuple(of(...STATUSES), fc.option(value))
		.map(([status, body]): FaultSpec[] => [
			body === null
				? { kind: 'status', status, keepsBody: true }
				: { kind: 'status', status, body, phase: 'after' },
		]);
	const redirected = fc
		.tuple(of(301, 302, 303, 307), headerText)
		.map(([status, end]): FaultSpec[] => [
			// In the query: dots in a path would name another one.
			{ kind: 'status', status, headers: { location: `${isFile ? REDIRECTED : LINK}?${end}` } },
		]);
	const headed = headers.map((each): FaultSpec[] => [{ kind: 'moreHeaders', headers: each }]);
	return fc
		.record({
			specs: fc.oneof(
				{ weight: isFile ? 0 : 4, arbitrary: changed },
				{ weight: 2, arbitrary: refused },
				{ weight: 2, arbitrary: answered },
				{ weight: 1, arbitrary: redirected },
				{ weight: 1, arbitrary: headed },
				{ weight: 1, arbitrary: fc.tuple(answered, headed).map((both) => both.flat()) },
				{ weight: 2, arbitrary: heavy },
			),
			times: of(undefined, undefined, 1),
		})
		.map(({ specs, times }) => specs.map((each) => ({ ...each, operation, times })));
}

/** The requests of operations that send more than one kind, of which one or two are attacked. */
const REQUESTS: Partial<Record<keyof typeof ALL_OPERATIONS, Operation[]>> = {
	'queue.add': ['queue.add', 'account.get'],
	'queue.wait': ['queue.getProgress', 'video.getAll', 'video.file'],
	'video.generate': ['queue.add', 'queue.getProgress', 'video.getAll', 'video.file'],
	'video.download': ['video.file', 'video.getAll'],
};
const attacksOn = (requests: Operation[]) =>
	fc
		.array(of(...requests).chain(attackOn), { minLength: 1, maxLength: 2 })
		.map((attacks) => attacks.flat());

const service = useSandbox({ apiKey: KEY });
const evil = useFileHost();
useBinaryStore();

/** What n8n shows to people, and all that it keeps. */
interface Result {
	/** Message and description of each error, also of a failed item. */
	errors: string[][];
	/** Hints, and the options of a list. */
	shown?: string[];
	kept: unknown;
	/** Whether each item has its output or its error, and what is offered and kept is within bounds. */
	isEnded?: boolean;
}

const isText = (each: unknown): each is string => typeof each === 'string';
const listTexts = (...texts: unknown[]): string[] => texts.filter(isText);
const credentials = () => ({ ...service.setup({}).credentials });

/** Creates what an operation needs. @returns its parameters, and its item */
async function prepareItem(name: OperationName, hasOther: boolean) {
	const waits = ['queue.wait', 'video.generate'].includes(name);
	const parameters: INodeParameters = {
		...ALL_OPERATIONS[name],
		...(waits && { downloadVideo: true, waitOptions: { timeout: 20 } }),
		...(name === 'queue.add' && hasOther && { options: { creditsToKeep: 1 } }),
	};
	if (name === 'video.getAll') service.addVideo();
	const [item = {}] = await service.createInput(name);
	// An ID instead of the address is looked up in the list.
	if (name === 'video.download' && hasOther) item.url = item.id;
	return { parameters, item };
}

/** Prepares an execution of the node with one item. */
async function prepareNode({ name, stops, hasOther }: NodePlan): Promise<() => Promise<Result>> {
	const { parameters, item } = await prepareItem(name, hasOther);
	return async () => {
		const settings = stops ? {} : ERROR_OUTPUT;
		const { items, errorItems, error, run } = await service.run(parameters, {
			items: [item],
			settings,
		});
		const [task] = run.data.resultData.runData['Video Generation'] ?? [];
		const isOut = items.length === 1 || (name.endsWith('getAll') && errorItems.length === 0);
		const failed = errorItems.map(({ json }) => listTexts(json.error, json.message));
		return {
			errors: [listTexts(error?.message, error?.description), ...failed],
			shown: (task?.hints ?? []).map(({ message }) => message),
			kept: [stringify(run.data), error?.stack, items, errorItems],
			isEnded: stops ? isOut || error !== undefined : isOut || errorItems.length === 1,
		};
	};
}

/** Prepares a call by a model, which fills in what a workflow takes from an item. */
async function prepareTool({ way, name, hasOther }: ToolPlan): Promise<() => Promise<Result>> {
	const { parameters, item } = await prepareItem(name, hasOther);
	const taken = JSON.stringify(parameters).replace(/\$json\.(\w+)/g, "$fromAI('$1', '', 'string')");
	const calls = [[{ project: PROJECT, prompt: 'A film', ...item }]];
	const setup = { ...service.setup(JSON.parse(taken) as INodeParameters), calls, way };
	return async () => {
		const answers = await runWithoutWaiting(async () => await runTools(setup), service.sandbox);
		const [json] = JSON.parse(answers[0] ?? '') as [IDataObject?];
		const isRead = answers.length === 1 && `${answers[0]}`.length <= MAX_ANSWER_LENGTH;
		return { errors: [listTexts(json?.error)], kept: answers, isEnded: isRead };
	};
}

async function prepareList({ name }: ListPlan): Promise<() => Promise<Result>> {
	service.addVideo();
	const { context, nodeTypes } = await createLoadOptionsContext(credentials(), TRIGGER_TYPE);
	const { methods } = nodeTypes.getByNameAndVersion(TRIGGER_TYPE);
	const load = async () =>
		name === 'getProjects'
			? ((await methods?.loadOptions?.getProjects?.call(context)) ?? [])
			: await searchList(credentials(), name);
	return async () => {
		try {
			const options = await runWithoutWaiting(load, service.sandbox);
			const shown = options.flatMap((each) => [each.name, String(each.value)]);
			const isSaved = (each: string) => each.startsWith('=') || each.includes('{{');
			const saved = options.filter((each) => each.name.startsWith('=') || isSaved(`${each.value}`));
			return { errors: [], shown, kept: [], isEnded: saved.length === 0 };
		} catch (error) {
			const { message, description } = error as NodeApiError;
			return { errors: [listTexts(message, description)], kept: error };
		}
	};
}

/** Prepares two polls of a trigger, which knows one video. */
async function preparePoll({ downloads }: PollPlan): Promise<() => Promise<Result>> {
	const trigger = await ActiveTrigger.create({
		credentials: credentials(),
		parameters: { options: { downloadVideo: downloads } },
	});
	service.addVideo();
	await trigger.activate();
	service.addVideo();
	return async () => {
		const { sandbox } = service;
		const results = await runWithoutWaiting(
			async () => [await trigger.poll(), await trigger.poll()],
			sandbox,
		);
		const items = results.flatMap((result) => result.items ?? []);
		const failed = [
			...results.map(({ error }) => error ?? {}),
			...items.map(({ json }) => json.downloadError ?? {}),
		] as Partial<NodeApiError>[];
		return {
			errors: failed.map((each) => listTexts(each.message, each.description)),
			kept: [trigger.state, items],
			isEnded: trigger.database.staticData.length < MAX_STATE_LENGTH,
		};
	};
}

/** Sends what is long as a long text, and names the other host by its address. */
function attack(specs: FaultSpec[]): void {
	const fill = (_name: string, each: unknown) => {
		if (!isText(each)) return each;
		const short = each.replaceAll(EVIL, evil.url);
		if (!short.startsWith(LONG)) return short;
		const part = short.slice(LONG.length) || 'x';
		return part.repeat(Math.ceil(LONG_LENGTH / part.length));
	};
	for (const spec of specs) {
		service.sandbox.addFault(JSON.parse(JSON.stringify(spec), fill) as FaultSpec);
	}
}

/** Measures the longest time of the processor between two turns of the event loop: other processes may be busy. */
function watchPauses(): () => number {
	let longestMs = 0;
	let isOver = false;
	let last = process.cpuUsage();
	const turn = () => {
		const { user, system } = process.cpuUsage(last);
		longestMs = Math.max(longestMs, (user + system) / 1000);
		last = process.cpuUsage();
		if (!isOver) setImmediate(turn);
	};
	setImmediate(turn);
	return () => {
		isOver = true;
		return longestMs;
	};
}

const MAX_ERROR_LENGTH = 8_192;
const MAX_STATE_LENGTH = 256_000;
/** Of what a model reads. */
const MAX_ANSWER_LENGTH = 100_000;
const MAX_PAUSE_MS = 200;
const MARKUP = /<[a-z/!?]/i;
/** An error that nobody has foreseen. */
const RAW =
	/Cannot (read|destructure|convert|set)|is not (a function|iterable)|call stack|Invalid (URL|character|string)/;

/** Plays a plan. @returns a sentence for each law that it breaks */
async function findBroken<Plan extends { attacks: FaultSpec[] }>(
	plan: Plan,
	prepare: (plan: Plan) => Promise<() => Promise<Result>>,
): Promise<string[]> {
	service.sandbox.reset();
	passTime(DAY_MS);
	const run = await prepare(plan);
	attack(plan.attacks);
	evil.requests.length = 0;
	evil.answer((_request, response) => {
		response.writeHead(200, { 'content-type': 'video/mp4' }).end(FILE);
	});
	const hosts = new Set<unknown>();
	const noteHost = (message: unknown) => {
		hosts.add((message as { request: ClientRequest }).request.getHeader('host'));
	};
	const logged: unknown[] = [];
	for (const level of ['info', 'warn', 'error', 'debug'] as const) {
		const log = (...line: unknown[]) => logged.push(line);
		jest.spyOn(Container.get(Logger), level).mockImplementation(log);
	}
	subscribe('http.client.request.start', noteHost);
	const endWatch = watchPauses();
	const {
		errors,
		shown = [],
		kept,
		isEnded = true,
	} = await run().finally(() => {
		unsubscribe('http.client.request.start', noteHost);
		jest.restoreAllMocks();
	});
	const pauseMs = endWatch();
	const texts = [...errors.flat(), ...shown];
	const isOfAddress = ({ headers, method, url = '' }: IncomingMessage) =>
		method === 'GET' && ALLOWED.test(url) && headers.authorization === undefined;
	const all = JSON.stringify([texts, kept, logged, evil.requests.map(({ headers }) => headers)]);
	const known = [service.sandbox.url, evil.url].map((url) => new URL(url).host);
	const laws: [string, boolean][] = [
		['shows no markup', !texts.some((each) => MARKUP.test(each))],
		['shows no raw error', !texts.some((each) => RAW.test(each))],
		['shows and keeps no key', !decodeKey(all).includes(decodeKey(KEY))],
		['shows no long error', errors.every((each) => each.join('').length <= MAX_ERROR_LENGTH)],
		['holds n8n up for no longer', pauseMs <= MAX_PAUSE_MS],
		['sends nothing elsewhere', [...hosts].every((host) => known.includes(String(host)))],
		["requests another host's videos alone", evil.requests.every(isOfAddress)],
		['ends each item, within bounds', isEnded],
	];
	const broken = laws.filter(([, holds]) => !holds).map(([law]) => law);
	return broken.length === 0 ? [] : [...broken, `${pauseMs} ms`, ...texts.map(cut)];
}

const cut = (each: string) => each.slice(0, 1_000);

const names = <Name extends string>(all: Record<Name, unknown>) =>
	of(...(Object.keys(all) as Name[]));
type OperationName = keyof typeof ALL_OPERATIONS;
const operation = fc
	.oneof(names(ALL_OPERATIONS), of('queue.wait', 'video.generate'))
	.chain((name) =>
		fc.record({
			name: fc.constant(name),
			hasOther: fc.boolean(),
			attacks: attacksOn(REQUESTS[name] ?? [toRequest(name as ApiOperation)]),
		}),
	);
const nodePlans = fc.tuple(operation, fc.boolean()).map(([plan, stops]) => ({ ...plan, stops }));
const toolPlans = fc.tuple(operation, names(WAYS)).map(([plan, way]) => ({ ...plan, way }));
const listPlans = of('searchProjects', 'searchVideos', 'getProjects').chain((name) =>
	fc.record({
		name: fc.constant(name),
		attacks: attacksOn(
			name === 'searchVideos' ? ['video.getAll', 'project.getAll'] : ['project.getAll'],
		),
	}),
);
const pollPlans = fc.record({
	downloads: fc.boolean(),
	attacks: attacksOn(['video.getAll', 'video.getAll', 'video.file']),
});
type Drawn<T> = T extends fc.Arbitrary<infer Value> ? Value : never;
type NodePlan = Drawn<typeof nodePlans>;
type ToolPlan = Drawn<typeof toolPlans>;
type ListPlan = Drawn<typeof listPlans>;
type PollPlan = Drawn<typeof pollPlans>;

/** Plays plans of a kind, `share` times the usual number. */
function testAttacks<Plan extends { attacks: FaultSpec[] }>(
	where: string,
	plans: fc.Arbitrary<Plan>,
	prepare: (plan: Plan) => Promise<() => Promise<Result>>,
	share: number,
): void {
	const law = `A service that answers anything spoils nothing but its own answers: ${where}`;
	testPlans(law, plans, { usual: 10, share }, async (plan) => {
		let broken = await findBroken(plan, prepare);
		// A collection of garbage is none of ours, and does not come each time.
		for (let i = 0; i < 3 && broken[0]?.startsWith('holds n8n up'); i++) {
			broken = await findBroken(plan, prepare);
		}
		expect(broken).toEqual([]);
	});
}

testAttacks('in an execution', nodePlans, prepareNode, 3);
testAttacks('for a model', toolPlans, prepareTool, 1);
testAttacks('in the editor', listPlans, prepareList, 2);
testAttacks('in a poll', pollPlans, preparePoll, 2);
