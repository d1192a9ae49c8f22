import { parseCommandLine } from '../../../sandbox/commandLine';

it('without options: port 3456, no latency, 100 credits, real time, ids that are new each time', () => {
	const [first, second] = [parseCommandLine([]), parseCommandLine([])];
	expect(first).toMatchObject({ port: 3456, latencyMs: 0, credits: 100, clock: 'real' });
	expect(first?.seed).not.toBe(second?.seed);
});
it('takes every option', () => {
	const text = '--port 0 --latency 50 --credits 0 --seed 1 --clock manual';
	expect(parseCommandLine(text.split(' '))).toEqual({
		...{ port: 0, latencyMs: 50, credits: 0, seed: 1, clock: 'manual' },
	});
});
it.each([
	['--port 65536', '--port takes a whole number from 0 to 65535, not "65536".'],
	['--latency -1', /--latency/],
	['--latency=-1', '--latency takes a whole number from 0 to 600000, not "-1".'],
	['--credits 1.5', '--credits takes a whole number from 0 to 1000000000, not "1.5".'],
	['--seed x', '--seed takes a whole number from 0 to 2147483647, not "x".'],
	['--clock fast', '--clock takes "real" or "manual", not "fast".'],
	['--ports 1', /Unknown option '--ports'/],
	['3456', /Unexpected argument '3456'/],
	['--port', /--port/],
])('refuses "%s" in a sentence', (text, message) => {
	expect(() => parseCommandLine(text.split(' '))).toThrow(message);
});
it.each(['--help', '-h'])('%s asks for help', (text) => {
	expect(parseCommandLine([text])).toBeNull();
});
