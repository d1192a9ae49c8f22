import type { Logger } from 'n8n-workflow';
import { logQueuedVideo } from '../../../nodes/VideoGeneration/request/logQueuedVideo';

function log(queueId: string, projectId: string): string[] {
	const lines: string[] = [];
	const logger = { info: (line: string) => lines.push(line) } as unknown as Logger;
	logQueuedVideo({ logger, getExecutionId: () => '7' }, queueId, projectId);
	return lines;
}

describe("n8n's log", () => {
	test('names the queue item, the project and the execution of an accepted add', () => {
		expect(log('q-1', 'p-1')).toEqual(['Queued video "q-1" of project "p-1" in execution 7']);
	});

	test('gets one line of bounded length whatever the service calls its items', () => {
		const [line = ''] = log('q\nError: not so', 'p'.repeat(1_000_000));
		expect(line).toContain('"q\\nError: not so"');
		expect(line).not.toContain('\n');
		expect(line.length).toBeLessThan(500);
	});
});
