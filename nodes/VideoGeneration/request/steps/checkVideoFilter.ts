import type { RequestStep } from '../prepareRequest';
import { readVideoFilter } from './readVideoFilter';

/** Finds a filter of no use before the request, not after it. */
export const checkVideoFilter: RequestStep = (context) => {
	readVideoFilter(context);
};
