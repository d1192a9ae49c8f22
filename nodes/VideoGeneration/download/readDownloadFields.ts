import type { RequestStep } from '../request/prepareRequest';
import { addDetails } from '../request/prepareRequest';
import { getDownloadFields } from './downloadItem';
import { hideQuery } from './videoAddress';

/** Keeps an item without a usable address from being sent, and notes the address for its `details`. */
export const checkDownloadFields: RequestStep = (context, request) => {
	addDetails(request, { videoUrl: hideQuery(getDownloadFields(context).address) });
};
