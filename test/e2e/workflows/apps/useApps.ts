import { generateKeyPairSync } from 'node:crypto';
import { join } from 'node:path';
import type { N8nClient } from '../../../../scripts/n8n/N8nClient';
import type { WorkflowNode } from '../../../../scripts/n8n/n8nTypes';
import { E2E_FOLDER } from '../../../support/e2e/PLACES';
import { WITHOUT_EDITOR } from '../../../support/e2e/RealN8n';
import { GoogleDrive } from './GoogleDrive';
import { GoogleSheet } from './GoogleSheet';
import { InterceptingProxy } from './InterceptingProxy';
import { Slack } from './Slack';
import { YouTube } from './YouTube';

type Credentials = NonNullable<WorkflowNode['credentials']>;

type Choice = Partial<Pick<WorkflowNode, 'parameters' | 'credentials'>>;

/**
 * Provides Google Sheets, Google Drive, YouTube and Slack to n8n's own nodes, which are the real ones. Call
 * it before `useRealN8n`, and start that n8n with the `environment`.
 */
export function useApps(name: string) {
	const [sheet, drive, slack] = [new GoogleSheet(), new GoogleDrive(), new Slack()];
	const youTube = new YouTube();
	const proxy = new InterceptingProxy({
		'oauth2.googleapis.com': () => ({ body: { access_token: 'token', expires_in: 3600 } }),
		'sheets.googleapis.com': sheet.answer,
		'www.googleapis.com': (request) => youTube.answer(request) ?? drive.answer(request),
		'slack.com': slack.answer,
		'files.slack.com': slack.answerUpload,
	});
	const environment: Record<string, string> = { ...WITHOUT_EDITOR };
	const credentials: Credentials = {};
	beforeAll(async () => {
		Object.assign(environment, await proxy.start(join(E2E_FOLDER, `${name}-apps.pem`)));
	});
	beforeEach(() => {
		drive.empty();
		youTube.empty();
		slack.empty();
	});
	afterEach(() => {
		expect(proxy.unknown).toEqual([]);
	});
	afterAll(async () => {
		await proxy.stop();
	});
	return {
		environment,
		/** The credentials of all apps, once they are chosen. */
		credentials,
		sheet,
		drive,
		slack,
		youTube,
		/** Returns the settings that a user chooses in the apps' nodes, by node type. */
		choose: async (client: N8nClient): Promise<Record<string, Choice>> => {
			Object.assign(credentials, await createCredentials(client));
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
		},
	};
}

async function createCredentials(client: N8nClient): Promise<Credentials> {
	const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 });
	const google = await client.createCredential({
		name: 'Google',
		type: 'googleApi',
		data: {
			email: 'robot@example.com',
			privateKey: privateKey.export({ type: 'pkcs8', format: 'pem' }),
		},
	});
	const youTube = await client.createCredential({
		name: 'YouTube',
		type: 'youTubeOAuth2Api',
		data: {
			...{ clientId: 'client', clientSecret: 'none', customScopes: false },
			oauthTokenData: { access_token: 'token', token_type: 'Bearer' },
		},
	});
	const slack = await client.createCredential({
		name: 'Slack',
		type: 'slackApi',
		data: { accessToken: 'none' },
	});
	return {
		googleApi: { id: google.id, name: google.name },
		youTubeOAuth2Api: { id: youTube.id, name: youTube.name },
		slackApi: { id: slack.id, name: slack.name },
	};
}
