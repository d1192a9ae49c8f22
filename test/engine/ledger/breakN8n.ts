import { Container } from '@n8n/di';
import { Logger } from '@n8n/backend-common';
import { BinaryDataService } from 'n8n-core';
import { TestCredentialsHelper } from '../../support/engine/TestCredentialsHelper';
import type { N8nTrouble } from './Story';

/** What n8n's parts say when they fail, without a word that an error of the service could have. */
const MESSAGES: Record<N8nTrouble['part'], string> = {
	credential: 'Connection terminated unexpectedly',
	log: 'write after end',
	fileStore: 'ENOSPC: no space left on device, write',
};

/**
 * Has n8n itself fail as a story says, and records the lines that reach its log.
 *
 * @param countRequests returns the number of adds and clears that have begun
 * @returns a function that undoes it
 */
export function breakN8n(
	troubles: N8nTrouble[],
	logLines: string[],
	countRequests: () => number,
): () => void {
	const counters = troubles.map((trouble) => ({ trouble, uses: 0 }));
	const use = (part: N8nTrouble['part']) => {
		const counting = counters.filter(
			({ trouble }) => trouble.part === part && countRequests() >= trouble.afterRequests,
		);
		for (const counter of counting) counter.uses += 1;
		const isBroken = counting.some(
			({ uses, trouble: { nth, count } }) => uses >= nth && uses < nth + count,
		);
		if (isBroken) throw new Error(MESSAGES[part]);
	};
	const log = jest.spyOn(Container.get(Logger), 'info').mockImplementation((line: string) => {
		use('log');
		logLines.push(line);
	});
	const helper = TestCredentialsHelper.prototype;
	const { getDecrypted } = helper;
	const credential = jest.spyOn(helper, 'getDecrypted').mockImplementation(async function (
		this: TestCredentialsHelper,
		...args
	) {
		use('credential');
		return await getDecrypted.apply(this, args);
	});
	const service = Container.get(BinaryDataService);
	const store = service.store.bind(service);
	const fileStore = jest.spyOn(service, 'store').mockImplementation(async (...args) => {
		use('fileStore');
		return await store(...args);
	});
	return () => {
		for (const spy of [log, credential, fileStore]) spy.mockRestore();
	};
}
