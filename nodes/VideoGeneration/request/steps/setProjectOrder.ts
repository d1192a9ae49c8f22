import type { IDataObject } from 'n8n-workflow';
import type { RequestStep } from '../prepareRequest';

/** The query of "GET /v1/projects": `sort` and `order`, each only when it is chosen. */
export const setProjectOrder: RequestStep = (context, request) => {
	const { sort, order } = context.getNodeParameter('options', {}) as {
		sort?: string;
		order?: string;
	};
	const query: IDataObject = { ...(sort ? { sort } : {}), ...(order ? { order } : {}) };
	request.qs = query;
};
