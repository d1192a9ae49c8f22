import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import type { IDataObject, INodeParameters } from 'n8n-workflow';
import { readVideoFile } from '../../sandbox/files/readVideoFile';
import { createLoadOptionsContext } from '../support/n8nServer/createLoadOptionsContext';
import { DOWNLOAD, GENERATE, OPERATIONS, toRequest } from '../support/engine/OPERATIONS';
import { loadPackage } from '../support/engine/loadPackage';
import { ERROR_OUTPUT } from '../support/engine/runNode';
import {
	interceptLookUps,
	TestCredentialsHelper,
} from '../support/n8nServer/TestCredentialsHelper';
import { hasFeature, testWith } from '../support/engine/testWith';
import { useFileHost } from '../support/engine/useFileHost';
import { useSandbox } from '../support/engine/useSandbox';

const service = useSandbox();
const host = useFileHost();
/** One of each kind: all requests of a kind are repeated by the same code. */
const SENT_AGAIN = ['queue.clear', 'account.get'] as const;

afterEach(() => {
	jest.restoreAllMocks();
});

/** Makes a video. @returns the timeouts of its requests, by their path */
async function listTimeouts(requestOptions = {}): Promise<Record<string, number | undefined>> {
	const timeouts: Record<string, number | undefined> = {};
	const sign = jest.spyOn(TestCredentialsHelper.prototype, 'authenticate');
	expect((await service.run({ ...GENERATE, requestOptions })).error).toBeUndefined();
	for (const [, , { url, timeout }] of sign.mock.calls) {
		timeouts[url.replace(/progress\/.*/, 'progress')] = timeout;
	}
	return timeouts;
}

describe('Of rows at a port where nothing listens,', () => {
	const ADD = OPERATIONS['queue.add'];
	const DOWN = { isDown: true };
	const run = async (parameters: INodeParameters, items: IDataObject[]) => {
		const { apiKey, clock, url } = service.sandbox;
		const baseUrl = `={{ $json.isDown ? 'http://127.0.0.1:1' : '${url}' }}`;
		const startedAt = clock.now();
		const { errorItems } = await service.run(parameters, {
			items,
			settings: ERROR_OUTPUT,
			credentials: { apiKey, baseUrl },
		});
		const tries = errorItems.map(({ json }) => (json.details as IDataObject).tries);
		return { seconds: (clock.now() - startedAt) / 1_000, tries };
	};

	test.each<[string, INodeParameters, first: number, others: number]>([
		['Queue > Add', ADD, 4, 1],
		// The account cannot be read, so the add itself is not tried.
		['Queue > Add with Credits to Keep', { ...ADD, options: { creditsToKeep: 1 } }, 0, 0],
		['Video > Generate', GENERATE, 4, 1],
	])('those of %s fail soon: only the first one is tried again', async (...each) => {
		const [, parameters, first, others] = each;
		const { seconds, tries } = await run(parameters, Array<IDataObject>(25).fill(DOWN));
		expect(tries).toEqual([first, ...Array<number>(24).fill(others)]);
		expect(seconds).toBeLessThan(60);
	});

	test('the next one is tried again after a request that has got through', async () => {
		const { tries } = await run(ADD, [DOWN, DOWN, {}, DOWN, DOWN]);
		expect(tries).toEqual([4, 1, 4, 1]);
		expect(service.sandbox.charges).toHaveLength(1);
	});
});

describe('A request that changes nothing or does no harm twice', () => {
	test.each(SENT_AGAIN)('%s is sent again after each failure that may pass', async (name) => {
		const items = await service.createInput(name);
		service.sandbox.addFault({ kind: 'tooManyRequests', retryAfter: 'none', nth: 1 });
		service.sandbox.addFault({ kind: 'hang', nth: 2 });
		service.sandbox.addFault({ kind: 'cutOff', ending: 'break', nth: 3 });
		const parameters = { ...OPERATIONS[name], requestOptions: { timeout: 600 } };
		const { items: output, error } = await service.run(parameters, { items });
		expect(error).toBeUndefined();
		expect(service.listSent()).toEqual(Array(4).fill(toRequest(name)));
		expect(output).not.toEqual([]);
	});

	test.each(SENT_AGAIN)('%s is sent 4 times at the most, or as Max Tries says', async (name) => {
		const items = await service.createInput(name);
		service.sandbox.addFault({ kind: 'status', status: 503 });
		const { error } = await service.run(OPERATIONS[name], { items });
		expect(service.sandbox.requests).toHaveLength(4);
		expect(error?.description).toContain('The request was sent 4 times.');
		service.sandbox.clearRequests();
		const parameters = { ...OPERATIONS[name], options: { maxTries: 2 } };
		await service.run(parameters, { items });
		expect(service.sandbox.requests).toHaveLength(2);
	});
});

describe('A clear', () => {
	test('whose first try may have been carried out is a success when the next one finds nothing', async () => {
		const [queueId] = await service.queueVideos(1);
		service.sandbox.addFault({ kind: 'reset', phase: 'after', times: 1 });
		const { items, error } = await service.run(OPERATIONS['queue.clear'], { items: [{ queueId }] });
		expect(service.sandbox.requests.map(({ status }) => status)).toEqual([undefined, 404]);
		expect(error).toBeUndefined();
		expect(items[0]?.json).toEqual({ queueId, deleted: true });
	});

	test('of nothing is an error, also after a try that was refused', async () => {
		const [queueId = ''] = await service.queueVideos(1);
		service.sandbox.removeQueueItem(queueId);
		service.sandbox.addFault({ kind: 'tooManyRequests', retryAfter: 'none', times: 1 });
		const { error } = await service.run(OPERATIONS['queue.clear'], { items: [{ queueId }] });
		expect(service.sandbox.requests).toHaveLength(2);
		expect(error?.httpCode).toBe('404');
	});
});

test('The credential is read once for each item, however many requests it sends, and not for one that cannot be sent', async () => {
	const lookUps = interceptLookUps((found) => found);
	const items = [{}, { prompt: '{{ $json.typed }}' }, {}];
	const setup = { items, settings: ERROR_OUTPUT };
	const output = await service.run({ ...GENERATE, downloadVideo: true }, setup);
	expect(output.items.map(({ json }) => json.status)).toEqual(['completed', 'completed']);
	expect(output.errorItems).toHaveLength(1);
	expect(service.sandbox.requests.length).toBeGreaterThan(4);
	expect(lookUps).toHaveBeenCalledTimes(2);
});

test("An add has five minutes, and each later request for its video a minute, unless 'Timeout' of Request Options is set", async () => {
	const { '/v1/videos': log, ...others } = await listTimeouts();
	expect(others).toEqual({ '/v1/queue/add': 300_000, '/v1/queue/progress': 60_000 });
	expect(log).toBeLessThanOrEqual(60_000);
	const timeouts = await listTimeouts({ timeout: 2_500 });
	expect(Object.values(timeouts)).toEqual([2_500, 2_500, 2_500]);
});

test.each(['requestWithAuthentication', 'httpRequestWithAuthentication'] as const)(
	'Whoever uses the credential, by %s, reaches the service, and sends the key to no other host, redirected or not',
	async (helper) => {
		host.answer((_request, response) => response.end('{}'));
		const { context } = await createLoadOptionsContext(service.setup({}).credentials);
		const send = async (url: string) => {
			const request = context.helpers[helper] as (...args: unknown[]) => Promise<unknown>;
			await request.call(context, 'videoGenerationApi', {
				method: 'GET',
				url,
				uri: url,
				json: true,
				// Each function follows redirects by options of its own.
				followRedirect: true,
				followAllRedirects: true,
				disableFollowRedirect: false,
				sendCredentialsOnCrossOriginRedirect: true,
			});
		};
		const url = `${service.sandbox.url}/v1/user/account`;
		await send(url);
		for (const status of [301, 302, 303, 307, 308] as const) {
			service.sandbox.clearFaults();
			service.sandbox.addFault({ kind: 'redirect', location: host.url, status });
			await expect(send(url)).rejects.toThrow();
		}
		await expect(send(host.url)).rejects.toThrow();
		expect(host.requests).toEqual([]);
	},
);

test('n8n signs with each credential type of the package: it asks none that extends a type for OAuth', async () => {
	const { credentials } = await loadPackage();
	const types = Object.values(credentials).map(({ authenticate, extends: parents = [], name }) => {
		const isAsked = !parents.some((parent) => /OAuth[12]Api$/i.test(parent));
		return { name, signs: typeof authenticate === 'function' && isAsked };
	});
	expect(types).toEqual(Object.keys(credentials).map((name) => ({ name, signs: true })));
});

test('Where n8n keeps files in memory, a download arrives byte for byte', async () => {
	const { items } = await service.run(DOWNLOAD, { items: [service.addVideo()] });
	const { data = '', mimeType } = items[0]?.binary?.data ?? {};
	expect(mimeType).toBe('video/mp4');
	expect(Buffer.from(data, 'base64')).toEqual(readVideoFile('product-teaser'));
});

describe("Where n8n's own rules forbid a host, a download", () => {
	const setRules = (isOn: boolean) => {
		if (hasFeature('hostRules')) Container.get(SsrfProtectionConfig).enabled = isOn;
	};
	// n8n reads the names with the first request only, and the switch of its rules with each one.
	if (hasFeature('hostRules')) {
		Container.get(SsrfProtectionConfig).allowedHostnames.push('localhost');
	}
	beforeEach(() => {
		setRules(true);
	});
	afterEach(() => {
		setRules(false);
	});

	testWith(
		'hostRules',
		'sends no request there, nor does an operation of the service',
		async () => {
			const { error } = await service.run(DOWNLOAD, { items: [service.addVideo()] });
			expect(error?.message).toBe("n8n blocks requests to the video's host");
			expect(error?.description).toMatch(/'Video' of this item: \S+\.mp4\. .*N8N_SSRF_ALLOWED/);
			const { error: other } = await service.run(OPERATIONS['account.get']);
			expect(other?.message).toBe('n8n blocks requests to the video service');
			expect(other?.description).toMatch(/'Base URL'.*N8N_SSRF_ALLOWED/);
			expect(service.sandbox.requests).toEqual([]);
		},
	);

	testWith('hostRules', 'follows no redirect there', async () => {
		const location = service.addVideo().url;
		host.answer((_request, response) => {
			response.writeHead(302, { location }).end();
		});
		const url = host.url.replace('127.0.0.1', 'localhost');
		const { error } = await service.run(DOWNLOAD, { items: [{ url }] });
		expect(error?.message).toBe("n8n blocks requests to the video's host");
		expect(error?.description).toMatch(/blocks its address, or where it redirects to/);
		expect(host.requests).toHaveLength(1);
		expect(service.sandbox.requests).toEqual([]);
	});
});
