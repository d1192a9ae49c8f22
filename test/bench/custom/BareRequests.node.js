/**
 * A node that sends the requests for the items of `items.ts` with n8n's own function for signed
 * requests, and does nothing else. n8n loads it from N8N_CUSTOM_EXTENSIONS.
 */
const REQUESTS_AT_ONCE = 64;

exports.BareRequests = class {
	description = {
		displayName: 'Bare Requests',
		name: 'bareRequests',
		group: ['transform'],
		version: 1,
		description: 'Sends a progress request for each item',
		defaults: { name: 'Bare Requests' },
		inputs: ['main'],
		outputs: ['main'],
		credentials: [{ name: 'videoGenerationApi', required: true }],
		properties: [],
	};

	async execute() {
		const rest = this.getInputData().entries();
		const output = [];
		const work = async () => {
			for (const [item, { json }] of rest) {
				const url = `/v1/queue/progress/${json.queueId}`;
				const request = { method: 'GET', url, json: true };
				const { details } = await this.helpers.httpRequestWithAuthentication.call(
					this,
					'videoGenerationApi',
					request,
				);
				output[item] = { json: details, pairedItem: { item } };
			}
		};
		await Promise.all(Array.from({ length: REQUESTS_AT_ONCE }, work));
		return [output];
	}
};
