import { startSandbox } from '../../sandbox/startSandbox';

// The service is a separate process, so that its work is not counted as the node's. It sends its
// address to the process that started it, and ends with that process.
const count = Number(process.argv[2]);
const etags = process.argv[3] === 'strong' ? 'strong' : 'none';
const isGrowing = process.argv[4] === 'growing';
const START = Date.parse('2026-01-15T12:00:00.000Z');

async function serve(): Promise<void> {
	const sandbox = await startSandbox({ rateLimit: false, etags });
	sandbox.addVideos(
		'main',
		Array.from({ length: count }, (_, i) => ({
			createdAt: new Date(START - i * 61_234).toISOString(),
		})),
	);
	if (isGrowing) {
		// A video is finished before each read of the log.
		sandbox.onRequest(() => {
			sandbox.addVideos('main', [{}]);
		});
	}
	process.send?.({ baseUrl: sandbox.url, apiKey: sandbox.apiKey });
	process.once('disconnect', () => void sandbox.close());
}

void serve();
