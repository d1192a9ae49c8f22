import { readFileSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { isDeepStrictEqual } from 'node:util';
import manifest from 'n8n-core/package.json';
import type { DescribedError } from './describeError';
import type { Received } from './Stage';

/** What became of a request that failed, as the node and the service saw it. */
export type RecordedOutcome = {
	/** What was simulated: everything else really happened. */
	simulated?: string;
	/** How much of the request had reached the service. */
	received: Received;
} & (
	| { place: 'request' | 'body'; error: DescribedError }
	/** The response of a proxy, which looks like one of the service. */
	| { place: 'response'; statusCode: number }
);

/** An outcome, and the engines that have it. */
export interface RecordedCase {
	engines: string[];
	outcome: RecordedOutcome;
}

/** Each failure's outcomes. */
export type RecordedErrors = Record<string, RecordedCase[]>;

const FILE = path.resolve(__dirname, '../../errorsOfN8n.json');

/** The versions on which an outcome depends: n8n's engine, and the major version of Node.js. */
const ENGINE = `n8n-core ${manifest.version}, Node.js ${process.versions.node.split('.', 1).join()}`;

export function loadRecordedErrors(): RecordedErrors {
	return JSON.parse(readFileSync(FILE, 'utf8')) as RecordedErrors;
}

/** The outcomes that were recorded with this engine. */
export class Recording {
	private readonly failures = loadRecordedErrors();

	readonly engine = ENGINE;

	get isEmpty(): boolean {
		return !Object.values(this.failures)
			.flat()
			.some(({ engines }) => engines.includes(ENGINE));
	}

	find(failure: string): RecordedOutcome | undefined {
		return this.failures[failure]?.find(({ engines }) => engines.includes(ENGINE))?.outcome;
	}

	set(failure: string, outcome: RecordedOutcome): void {
		const cases = (this.failures[failure] ?? [])
			.map((each) => ({ ...each, engines: each.engines.filter((engine) => engine !== ENGINE) }))
			.filter(({ engines }) => engines.length > 0);
		const same = cases.find((each) => isDeepStrictEqual(each.outcome, outcome));
		if (same) same.engines = [...same.engines, ENGINE].sort();
		else cases.push({ engines: [ENGINE], outcome });
		this.failures[failure] = cases;
	}

	save(): void {
		writeFileSync(FILE, `${JSON.stringify(this.failures, null, '\t')}\n`);
	}
}
