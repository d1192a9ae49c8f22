import { formatDuration } from '../../../scripts/steps/formatDuration';
import { showStep } from '../../../scripts/steps/showStep';

beforeEach(() => {
	jest.useFakeTimers();
});

afterEach(() => {
	jest.useRealTimers();
});

function createOutput(isTTY: boolean) {
	let text = '';
	return { isTTY, write: (part: string) => (text += part), read: () => text };
}

function wait(ms: number) {
	return () =>
		new Promise<string>((resolve) =>
			setTimeout(() => {
				resolve('made');
			}, ms),
		);
}

describe('showing a step', () => {
	it('says what is done, and then how long it took', async () => {
		const output = createOutput(false);
		const step = showStep('Making it', wait(1500), { hint: 'once', output });
		expect(output.read()).toBe('• Making it (once) …\n');
		await jest.advanceTimersByTimeAsync(1500);
		expect(await step).toBe('made');
		expect(output.read()).toBe('• Making it (once) …\n  done in 1.5 s\n');
	});

	it('says every half minute that it is still at it where the output is a log', async () => {
		const output = createOutput(false);
		const step = showStep('Making it', wait(70_000), { output });
		await jest.advanceTimersByTimeAsync(70_000);
		await step;
		expect(output.read()).toBe(
			'• Making it …\n  still at it, 30.0 s\n  still at it, 1 min 0 s\n  done in 1 min 10 s\n',
		);
	});

	it('lets the time run on one line of a terminal', async () => {
		const output = createOutput(true);
		const step = showStep('Making it', wait(2500), { output });
		await jest.advanceTimersByTimeAsync(2500);
		await step;
		expect(output.read().split('\n')).toHaveLength(3);
		expect(output.read()).toContain('1.0 s');
		expect(output.read()).toContain('2.0 s');
	});

	it('says that it failed, and hands the failure on', async () => {
		const output = createOutput(false);
		const step = showStep('Making it', () => Promise.reject(new Error('no')), { output });
		await expect(step).rejects.toThrow('no');
		expect(output.read()).toContain('failed after 0.0 s');
	});
});

describe('a duration', () => {
	it.each([
		[0, '0.0 s'],
		[3_240, '3.2 s'],
		[59_949, '59.9 s'],
		[59_990, '1 min 0 s'],
		[60_000, '1 min 0 s'],
		[250_400, '4 min 10 s'],
	])('of %d ms reads as %s', (durationMs, text) => {
		expect(formatDuration(durationMs)).toBe(text);
	});
});
