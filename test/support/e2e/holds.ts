import type { Operation } from '../../../sandbox/domain/model';
import type { Sandbox } from '../../../sandbox/Sandbox';
import { waitFor } from '../../../scripts/waitFor';
import type { useApps } from './apps/useApps';

/** Leaves one coming request without a response, so that n8n can be killed in it. */
export interface Hold {
	/** What happens at that moment. */
	at: string;
	/** @returns when the request has arrived */
	begin: () => Promise<void>;
}

/** Returns the two holds of a request to the service: before and after it is carried out. */
export function holdAtService(get: () => Sandbox, at: string, operation: Operation): Hold[] {
	return (['before', 'after'] as const).map((phase) => ({
		at: `${at}, ${phase} the service has done it`,
		begin: async () => {
			const sandbox = get();
			const countReplies = () => countRequests(sandbox, operation);
			const before = countReplies();
			const charges = sandbox.charges.length;
			sandbox.addFault({ kind: 'hang', operation, phase, times: 1 });
			await waitFor(
				at,
				() =>
					countReplies() > before &&
					(operation !== 'queue.add' || phase === 'before' || sandbox.charges.length > charges),
			);
		},
	}));
}

function countRequests({ requests }: Sandbox, wanted: Operation): number {
	return requests.filter(({ operation }) => operation === wanted).length;
}

/** Returns the hold of a request that changes nothing: it does not matter when n8n is killed in it. */
export const holdReading = ([before]: Hold[]): Hold[] => (before ? [before] : []);

/** Returns the two holds of a request to an app: before and after it is carried out. */
export function holdAtApp(
	{ hold }: Pick<ReturnType<typeof useApps>, 'hold'>,
	at: string,
	request: { host: string; method: string; containing?: string },
): Hold[] {
	return [false, true].map((isCarriedOut) => ({
		at: `${at}, ${isCarriedOut ? 'after' : 'before'} the app has done it`,
		begin: async () => {
			await hold({ ...request, isCarriedOut });
		},
	}));
}
