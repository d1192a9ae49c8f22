import { createHash } from 'node:crypto';
import { SsrfProtectionConfig } from '@n8n/config';
import { Container } from '@n8n/di';
import type { INode, IPollFunctions, IWorkflowExecuteAdditionalData } from 'n8n-workflow';
import { Workflow } from 'n8n-workflow';
import { PollContext } from 'n8n-core';
import { downloadVideo } from '../../nodes/VideoGeneration/download/downloadVideo';
import { readVideoFile } from '../../sandbox/files/readVideoFile';
import { createNodeTypes } from '../support/engine/createNodeTypes';
import { useFileHost } from '../support/engine/useFileHost';
import { useSandbox } from '../support/engine/useSandbox';
import { hasFeature, testWith } from '../support/engine/testWith';

const service = useSandbox();
const host = useFileHost();
const VIDEO = readVideoFile('product-teaser');
const DOWNLOAD = { resource: 'video', operation: 'download', videoUrl: '={{ $json.url }}' };
const once = { options: { maxTries: 1 } };
const sha256 = (bytes: Buffer) => createHash('sha256').update(bytes).digest('hex');

function addVideo() {
	const [log] = service.sandbox.addVideos('main', [{}]);
	return `${service.sandbox.url}/files/${log?.id ?? ''}.mp4`;
}

describe('Where n8n keeps files in memory, a download', () => {
	test('arrives byte for byte', async () => {
		const { items } = await service.run(DOWNLOAD, { items: [{ url: addVideo() }] });
		const { data, bytes, mimeType } = items[0]?.binary?.data ?? {};
		expect({ bytes, mimeType }).toEqual({ bytes: VIDEO.length, mimeType: 'video/mp4' });
		expect(sha256(Buffer.from(data ?? '', 'base64'))).toBe(sha256(VIDEO));
	});

	test.each([
		['breaks off', { kind: 'cutOff', ending: 'break' }],
		['is a part of a file', { kind: 'status', status: 206, contentType: 'video/mp4' }],
		['is a web page', { kind: 'html' }],
	] as const)('that %s is an error', async (_what, fault) => {
		service.sandbox.addFault(fault);
		const { items, error } = await service.run(
			{ ...DOWNLOAD, ...once },
			{ items: [{ url: addVideo() }] },
		);
		expect(items).toEqual([]);
		expect(error?.message).toMatch(/broke after|failed to send the video \(206\)|web page/);
	});
});

describe('In the context of a trigger, a download', () => {
	const node: INode = {
		id: '1',
		name: 'Trigger',
		type: 'test.passOn',
		typeVersion: 1,
		position: [0, 0],
		parameters: {},
	};
	const workflow = new Workflow({
		nodes: [node],
		connections: {},
		active: false,
		nodeTypes: createNodeTypes({}),
	});
	const additionalData = {} as IWorkflowExecuteAdditionalData;
	const context: IPollFunctions = new PollContext(
		workflow,
		node,
		additionalData,
		'trigger',
		'activate',
	);

	test('works as well, without a signal to stop it', async () => {
		const file = await downloadVideo(context, {
			address: addVideo(),
			addressField: 'url',
			retries: { maxTries: 1 },
		});
		expect(file).toMatchObject({ bytes: VIDEO.length, mimeType: 'video/mp4' });
	});

	test('tells what is wrong with the address that the service gives', async () => {
		const failed = downloadVideo(context, {
			address: null,
			addressField: 'url',
			retries: { maxTries: 1 },
		});
		await expect(failed).rejects.toMatchObject({
			facts: { kind: 'notAnAddress', addressField: 'url' },
		});
	});
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

	testWith('hostRules', 'sends no request there', async () => {
		const { error } = await service.run(DOWNLOAD, { items: [{ url: addVideo() }] });
		expect(error?.message).toBe("n8n blocks requests to the video's address");
		expect(error?.description).toMatch(/\.mp4 was not requested.*'Video URL'.*N8N_SSRF_ALLOWED/);
		expect(service.sandbox.requests).toEqual([]);
	});

	testWith('hostRules', 'says so, too, when it is the service that is there', async () => {
		const { error } = await service.run({ resource: 'account', operation: 'get' });
		expect(error?.message).toBe("n8n blocks requests to the video service's address");
		expect(error?.description).toMatch(/'Base URL'.*N8N_SSRF_ALLOWED/);
		expect(service.sandbox.requests).toEqual([]);
	});

	testWith('hostRules', 'follows no redirect there', async () => {
		const location = addVideo();
		host.answer((_request, response) => {
			response.writeHead(302, { location }).end();
		});
		const url = host.url.replace('127.0.0.1', 'localhost');
		const { error } = await service.run(DOWNLOAD, { items: [{ url }] });
		expect(error?.message).toBe("n8n blocks requests to the video's address");
		expect(error?.description).toContain(`${location} was not requested`);
		expect(host.requests).toHaveLength(1);
		expect(service.sandbox.requests).toEqual([]);
	});
});
