import { describeError } from '../support/engine/requestErrors/describeError';
import { FAILURES } from '../support/engine/requestErrors/FAILURES';
import type { RecordedOutcome } from '../support/engine/requestErrors/Recording';
import { Recording } from '../support/engine/requestErrors/Recording';
import { sendFromNode } from '../support/engine/requestErrors/sendFromNode';
import { Stage } from '../support/engine/requestErrors/Stage';

/*
 * n8n hands the errors of its HTTP client to nodes in forms that differ from version to version.
 * `errorsOfN8n.json` holds them, and `RECORD_ERRORS=true` records them anew.
 */
const recording = new Recording();
const isRecorded = process.env.RECORD_ERRORS === 'true';

/** An add, as the node sends it. */
const ADD = {
	method: 'POST',
	url: '/v1/queue/add',
	body: { projectId: 'project-1' },
	json: true,
	disableFollowRedirect: true,
	ignoreHttpStatusErrors: true,
	encoding: 'stream',
	returnFullResponse: true,
	timeout: 10_000,
} as const;

let stage = new Stage();
beforeEach(() => {
	stage = new Stage();
});
afterEach(async () => {
	await stage.end();
});
afterAll(() => {
	if (isRecorded) recording.save();
});

const describeRecorded = isRecorded || !recording.isEmpty ? describe : describe.skip;

describeRecorded(`What a node receives from ${recording.engine}, if recorded`, () => {
	test.each(FAILURES)('$name', async ({ name, simulated, arrange }) => {
		const { baseUrl = '', apiKey = 'key-1', options, ...rest } = await arrange(stage);
		const outcome = await sendFromNode({
			...rest,
			credential: { baseUrl, apiKey },
			options: { ...ADD, ...options },
		});
		const result: RecordedOutcome = {
			...(simulated === undefined ? {} : { simulated }),
			received: stage.received,
			...('error' in outcome ? { ...outcome, error: describeError(outcome.error) } : outcome),
		};
		if (isRecorded) recording.set(name, result);
		expect(result).toEqual(recording.find(name));
	});
});
