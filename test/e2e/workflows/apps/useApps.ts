import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import type { N8nClient } from '../../../../scripts/n8n/N8nClient';
import type { WorkflowNode } from '../../../../scripts/n8n/n8nTypes';
import { E2E_FOLDER } from '../../../support/e2e/PLACES';
import { WITHOUT_EDITOR } from '../../../support/e2e/RealN8n';
import { GoogleSheet } from './GoogleSheet';
import { type App, InterceptingProxy } from './InterceptingProxy';
import { Slack } from './Slack';
import { Uploads } from './Uploads';

type Choice = Partial<Pick<WorkflowNode, 'parameters' | 'credentials'>>;

/** The data of n8n's credentials for the apps, which accept any. */
const CREDENTIALS: Record<string, (privateKey: string) => Record<string, unknown>> = {
	googleApi: (privateKey) => ({ email: 'robot@example.com', privateKey }),
	youTubeOAuth2Api: () => ({
		clientId: 'client',
		clientSecret: 'none',
		customScopes: false,
		oauthTokenData: { access_token: 'token', token_type: 'Bearer' },
	}),
	slackApi: () => ({ accessToken: 'none' }),
};

/**
 * Provides Google Sheets, Google Drive, YouTube and Slack to n8n's own nodes, which are the real ones. Call
 * it before `useRealN8n`, and start that n8n with the `environment`.
 */
export function useApps(name: string) {
	const sheet = new GoogleSheet();
	const drive = new Uploads('/upload/drive/v3/files');
	const youTube = new Uploads('/upload/youtube/v3/videos');
	const slack = new Slack();
	const describeFile: App = ({ path }) => {
		const [, id] = /^\/drive\/v3\/files\/(\d+)$/.exec(path) ?? [];
		const webViewLink = `https://drive.google.com/file/d/${id}/view`;
		return id ? { body: { ...drive.files.at(-1)?.metadata, id, webViewLink } } : undefined;
	};
	const proxy = new InterceptingProxy({
		'oauth2.googleapis.com': () => ({ body: { access_token: 'token', expires_in: 3600 } }),
		'sheets.googleapis.com': sheet.answer,
		'www.googleapis.com': (request) =>
			youTube.answer(request) ?? drive.answer(request) ?? describeFile(request),
		'slack.com': slack.answer,
		'files.slack.com': slack.answerUpload,
	});
	const environment: Record<string, string> = { ...WITHOUT_EDITOR };
	/** The credentials of all apps, once they are chosen. */
	const credentials: NonNullable<WorkflowNode['credentials']> = {};
	beforeAll(async () => {
		Object.assign(environment, await proxy.start(join(E2E_FOLDER, `${name}-apps.pem`)));
	});
	beforeEach(() => {
		for (const app of [drive, youTube, slack]) app.empty();
	});
	afterEach(() => {
		expect(proxy.unknown).toEqual([]);
	});
	afterAll(async () => {
		await proxy.stop();
	});
	/** Returns the settings that a user chooses in the apps' nodes, by node type. */
	const choose = async (client: N8nClient): Promise<Record<string, Choice>> => {
		const { privateKey } = generateKeyPairSync('rsa', {
			modulusLength: 2048,
			publicKeyEncoding: { type: 'spki', format: 'pem' },
			privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
		});
		for (const [type, getData] of Object.entries(CREDENTIALS)) {
			const content = { name: type, type, data: getData(privateKey) };
			credentials[type] = { id: (await client.createCredential(content)).id, name: type };
		}
		const parameters = { authentication: 'serviceAccount' };
		return {
			'n8n-nodes-base.googleSheets': {
				parameters: { ...parameters, ...sheet.choice },
				credentials,
			},
			'n8n-nodes-base.googleDrive': { parameters, credentials },
			'n8n-nodes-base.youTube': { credentials },
			'n8n-nodes-base.slack': { parameters: slack.choice, credentials },
			'n8n-nodes-base.slackHitlTool': { parameters: slack.choice, credentials },
		};
	};
	return { environment, credentials, sheet, drive, slack, youTube, choose };
}
